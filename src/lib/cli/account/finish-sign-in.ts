import {covers, fullScopes, missingScopes, shortScope} from '#lib/api/description/scopes.js'
import {isOtherAccount, tokenKindOf} from '#lib/auth/check.js'
import type {Session} from '#lib/auth/session.js'
import {readRefreshToken, readStoredToken} from '#lib/auth/store/entries.js'
import {saveProfile, storeToken, type Tokens} from '#lib/auth/store-token.js'
import {openSession} from '#lib/cli/context/open-session.js'
import {isAgreed} from '#lib/cli/terminal/confirm.js'
import {Interrupted} from '#lib/cli/terminal/errors.js'
import {refusalOf} from '#lib/client/errors.js'
import {createSender} from '#lib/client/request.js'
import {fetchTokenOwner, type TokenOwner} from '#lib/client/token-owner.js'
import {
  chosenProfile,
  type Config,
  LOCAL_BINDING,
  LOCAL_PROFILE,
  type ProfileServer,
  readConfig,
  type SignInRecord,
  type StoreKind,
  type TokenKind,
  withProfile,
  withTokenStore,
} from '#lib/config/config.js'
import {listSignIns} from '#lib/config/list-profiles.js'
import type {Settings} from '#lib/config/settings.js'
import {SetupError} from '#lib/platform/setup-error.js'
import type {StoreChoice} from './choose-store.js'
import type {ObtainedToken} from './obtain-token.js'
import type {SignInContext} from './sign-in-context.js'

/** Finds the owner of a new token, stores the token, then reports success; `wanted` are the requested scopes. */
export async function finishSignIn(
  signInContext: SignInContext,
  {isGiven = false, finish, ...obtained}: ObtainedToken,
  choice: StoreChoice,
  wanted: readonly string[],
): Promise<void> {
  try {
    const user = await ownerOf(signInContext, givenToken(obtained.token), obtained.scopes)
    await checkPerson(signInContext, user)
    const kind = tokenKindOf(user, isGiven)
    const isSwitched = await storeOwnedToken(signInContext, obtained, user, {...choice, kind})
    await finish?.()
    await announceSignIn(signInContext, user, choice, {reused: 'no', wanted, isSwitched})
  } catch (error) {
    await finish?.((error as Error).message)
    throw error
  }
}

/**
 * Keeps the stored token, renewed if necessary, if it works and covers `scopes`; returns whether it did. Each new token
 * may end another one (authorization.md, Limits).
 */
export async function reuseToken(
  signInContext: SignInContext,
  scopes: readonly string[],
  wished: StoreKind | undefined,
): Promise<boolean> {
  const {context, settings, openStore, canAsk} = signInContext
  const {signIn} = settings
  if (!signIn) return false
  const place = openStore(signIn.store)
  // The current store may fail if another one is requested or prompted for; a damaged file is replaced.
  const isAskedLater = canAsk && wished === undefined
  const isNeeded = signIn.store === 'keychain' && wished !== 'file' && !isAskedLater
  const read = readStoredToken(place, settings)
  const stored = isNeeded ? await read : await read.catch(() => undefined)
  if (!stored) return false
  const stays = {...settings, environmentToken: undefined, tokenCommand: undefined}
  const session = openSession(context, stays)
  const user = await session
    .find()
    .then(() => ownerOf(signInContext, session, signIn.scopes))
    .catch((error: unknown) => {
      // The token is rejected or barred: a new one is needed.
      const isRefused = error instanceof SetupError && error.kind === 'sign-in'
      if (isRefused || refusalOf(error) === 'token') return undefined
      throw error
    })
  if (!user || !covers(user.scopes ?? [], scopes)) return false
  const store = wished ?? signIn.store
  const {kind, server} = signIn
  const found = (await session.find())!
  if (store !== signIn.store || signInContext.isReadOnly) {
    const refreshToken = server && (await readRefreshToken(place, settings, server))
    const {token, expiresAt} = found
    const tokens = {token, expiresAt, refreshToken, server}
    await storeOwnedToken(signInContext, tokens, user, {store, kind})
  }
  const reused = found.token === stored.token ? 'as it is' : 'renewed'
  await announceSignIn(signInContext, user, {store}, {reused, wanted: scopes})
  return true
}

/** A session with one token and no renewal. */
function givenToken(token: string): Pick<Session, 'token' | 'renew'> {
  return {token: async () => token, renew: async () => false}
}

/** The owner of a token, which proves that it works, with full scopes; `scopes` if the service does not report them. */
export async function ownerOf(
  signInContext: SignInContext,
  {token, renew}: Pick<Session, 'token' | 'renew'>,
  scopes: readonly string[] | undefined,
): Promise<TokenOwner> {
  const {breaker, force} = signInContext
  const {signal, now, userAgent, addresses, retrying, send} = signInContext.context
  const {baseUrl} = await addresses()
  const sender = createSender({
    baseUrl,
    token,
    renew,
    signal,
    now,
    userAgent,
    send: await send(),
    // Retried, because a new token would be lost but still count.
    retrying: await retrying(),
    guard: force ? {...breaker, check: async () => undefined} : breaker,
  })
  const user = await fetchTokenOwner(sender)
  await breaker.cleared(await token())
  return {...user, scopes: user.scopes ? fullScopes(user.scopes) : scopes}
}

/** Throws if the token belongs to another user than the profile, unless the user confirms the change. */
async function checkPerson(signInContext: SignInContext, user: TokenOwner): Promise<void> {
  const {profile, signIn} = signInContext.settings
  const known = signIn?.user
  if (!known || !isOtherAccount(known, user)) return
  const words = `Profile "${profile}" belongs to ${known.login}, but this token is ${user.login}'s`
  if (!signInContext.canAsk) {
    throw new SetupError(
      'sign-in',
      `${words}, so it was not stored. Sign in as ${known.login}, pass another profile with --profile, or run \`drv auth logout\` first.`,
    )
  }
  const {io, signal} = signInContext.context
  if (await isAgreed(`${words}. Use it for this profile from now on?`, io, signal)) return
  throw new Interrupted(
    `The token of ${user.login} was not stored; ${known.login} stays signed in.`,
  )
}

/**
 * Stores a token and records its owner and store in the profile; returns whether the profile became the default.
 */
export async function storeOwnedToken(
  signInContext: SignInContext,
  {server, ...tokens}: Tokens & {readonly server?: ProfileServer},
  {id, login, scopes}: TokenOwner,
  {store, isAnswer, kind}: StoreChoice & {readonly kind: TokenKind | undefined},
): Promise<boolean> {
  const note: SignInRecord = {store, kind, user: {id, login}, scopes, server}
  const {settings, isReadOnly} = signInContext
  const {profile} = settings
  let isSwitched = false
  const change = (config: Config) => {
    // The result, not the place it was searched in.
    const authUrl = server?.issuer ?? settings.authUrl
    const noted = saveProfile(config, {...settings, authUrl})
    isSwitched = chosenProfile(noted) !== chosenProfile(config)
    const placed =
      isAnswer || store === 'keychain' ? withTokenStore(noted, profile, isAnswer && store) : noted
    if (!isReadOnly) return placed
    return withProfile(placed, profile, known => ({...known, readOnly: true}))
  }
  if (!(await storeToken(signInContext, note, tokens, change))) {
    signInContext.context.note(
      'The previous token is still in the keychain, which could not be opened.',
    )
  }
  return isSwitched
}

/** Reports a successful sign-in: whether the stored token was `reused`, and which `wanted` scopes are missing. */
export async function announceSignIn(
  signInContext: SignInContext,
  {scopes, clientId: _, ...user}: TokenOwner,
  {store, isAnswer}: StoreChoice,
  {
    reused,
    wanted,
    isSwitched = false,
  }: {
    readonly reused: 'no' | 'as it is' | 'renewed'
    readonly wanted: readonly string[]
    /** Whether the profile became the default. */
    readonly isSwitched?: boolean
  },
): Promise<void> {
  const {say, emit, context} = signInContext
  const {profile, environmentToken, tokenCommand, readOnly = []} = signInContext.settings
  const lacking = missingScopes(scopes ?? wanted, wanted)
  const missing = lacking.length > 0 ? lacking : undefined
  await emit?.('authorized', {profile, user, scopes, missing, kept: store, reused: reused !== 'no'})
  const place = store === 'file' ? 'a file' : 'the keychain'
  const words = {
    no: `Signed in as ${user.login}. Stored the token in ${place}.`,
    'as it is': `Already signed in as ${user.login}: the token stored in ${place} is valid. Pass --force to get a new one.`,
    renewed: `Already signed in as ${user.login}: renewed the token stored in ${place}. Pass --force to sign in again.`,
  }
  say(words[reused])
  if (isAnswer) {
    say(
      `Profile "${profile}" now stores its tokens in a file. To change that, pass --no-insecure-storage.`,
    )
  }
  if (isSwitched) {
    say(
      `The default profile is now "${profile}". To go back, run \`drv auth switch ${LOCAL_PROFILE}\`.`,
    )
  }
  if (scopes) say(`Scopes: ${scopes.map(shortScope).join(', ') || 'none'}.`)
  if (missing) {
    const names = missing.map(shortScope)
    say(`The service granted fewer scopes than requested. Missing: ${names.join(', ')}.`)
  }
  if (signInContext.isReadOnly || readOnly.includes('profile')) {
    say(
      `Profile "${profile}" is read-only. To allow changes, run \`drv auth policy unset read-only --profile ${profile}\`, or sign out.`,
    )
  }
  const later = afterSignInText(
    signInContext.settings,
    await readConfig(signInContext.directory),
    context.environment,
  )
  if (later !== undefined) say(later)
  const variable =
    environmentToken === undefined ? tokenCommand && 'DRV_TOKEN_COMMAND' : 'DRV_TOKEN'
  if (variable)
    context.note(
      `${variable} is set and takes precedence over this sign-in. Unset it to use this sign-in.`,
    )
}

/** A notice if later commands do not use this sign-in; `config` is read after the sign-in. */
export function afterSignInText(
  {profile, binding}: Pick<Settings, 'profile' | 'binding'>,
  config: Config,
  {DRV_PROFILE}: NodeJS.ProcessEnv,
): string | undefined {
  const own = listSignIns(config, {profile, binding}).find(row => row.profile === profile)
  if (own && !own.inUse) {
    const place = own.service === LOCAL_BINDING ? 'the local service' : own.service
    return `Profile "${profile}" belongs to ${place ?? 'no service'}, so this sign-in applies only while DRV_BASE_URL is set. To store the URL, sign in with --profile and a new name.`
  }
  const chosen = chosenProfile(config)
  if (chosen === profile || DRV_PROFILE === profile) return undefined
  return `Other commands still use profile "${chosen}". To change that, run \`drv auth switch ${profile}\`, or pass --profile ${profile} to a command.`
}
