import {covers} from '#lib/api/description/scopes.js'
import {accountOf, SERVICE} from '#lib/auth/store/store.js'
import {ServiceError} from '#lib/client/errors.js'
import type {StoreKind} from '#lib/config/config.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {announceSignIn, ownerOf, storeOwnedToken} from './finish-sign-in.js'
import type {SignInContext} from './sign-in-context.js'

/**
 * Whether the stored token works and covers what is asked for; it stays then, where it is or where
 * it is `wished`. Every new token may end an older one (spec: authorization.md, Limits).
 */
export async function reuseToken(
  signInContext: SignInContext,
  scopes: readonly string[],
  wished: StoreKind | undefined,
): Promise<boolean> {
  const {settings, openStore} = signInContext
  const {signIn} = settings
  if (!signIn) return false
  const read = openStore(signIn.store).getPassword(SERVICE, accountOf(settings))
  // Whoever wants another place need not open this one, and a file that is no good is written anew.
  const isNeeded = signIn.store === 'keychain' && (wished ?? 'keychain') === 'keychain'
  const token = isNeeded ? await read : await read.catch(() => null)
  if (token === null) return false
  const user = await ownerOf(signInContext, token, signIn.scopes).catch((error: unknown) => {
    if (isRefusal(error)) return undefined
    throw error
  })
  if (!user || !covers(user.scopes ?? [], scopes)) return false
  const store = wished ?? signIn.store
  if (store !== signIn.store || signInContext.isReadOnly)
    await storeOwnedToken(signInContext, token, user, {store, kind: signIn.kind})
  await announceSignIn(signInContext, user, store, {reused: true, wanted: scopes})
  return true
}

/** The token opens nothing, or nobody should try: a new one is needed. */
function isRefusal(error: unknown): boolean {
  return (
    (error instanceof ServiceError && error.status === 401) ||
    (error instanceof SetupError && error.kind === 'sign-in')
  )
}
