import {accountOf, type OpenStore, SERVICE} from '#lib/auth/store/store.js'
import {LOCAL_PROFILE, type StoreKind} from '#lib/config/config.js'
import type {Settings} from '#lib/config/settings.js'
import {SetupError} from '#lib/platform/setup-error.js'

/** A token, and where it came from. */
export interface FoundToken {
  readonly token: string
  readonly source: 'DRV_TOKEN' | StoreKind
}

/** Which token a command works with. */
export interface Session {
  /** The token in force; throws `SetupError('sign-in')` when there is none. */
  token(): Promise<string>
  /** The token in force with its source, or `undefined` when there is none. */
  find(): Promise<FoundToken | undefined>
}

/**
 * The token of the environment, without opening a store, or the one stored for this profile and service; a store is
 * opened once, when a token is first asked for. Fails with `SetupError('keychain')` when it cannot be read.
 */
export function createSession(input: {
  readonly settings: Settings
  readonly openStore: OpenStore
  /** Hears that the keychain gave the token. */
  readonly onKeychain?: () => Promise<void>
}): Session {
  const {settings, openStore, onKeychain} = input
  let found: Promise<FoundToken | undefined> | undefined

  async function look(): Promise<FoundToken | undefined> {
    const {environmentToken, signIn} = settings
    if (environmentToken !== undefined) return {token: environmentToken, source: 'DRV_TOKEN'}
    if (signIn === undefined) return undefined
    const token = await openStore(signIn.store).getPassword(SERVICE, accountOf(settings))
    if (token === null) return undefined
    if (signIn.store === 'keychain') await onKeychain?.()
    return {token, source: signIn.store}
  }

  const find = () => (found ??= look())
  return {
    find,
    async token() {
      const token = (await find())?.token
      if (token === undefined) throw notSignedIn(settings)
      return token
    },
  }
}

/** The error for a command that needs a token where there is none. */
export function notSignedIn({profile, binding, embedded}: Settings): SetupError {
  const where = embedded ? 'the local service' : binding
  // Without the name it would be the chosen profile that is signed in.
  const login = profile === LOCAL_PROFILE ? 'drv auth login' : `drv auth login --profile ${profile}`
  return new SetupError(
    'sign-in',
    `Not signed in to ${where} (profile "${profile}"). Run \`${login}\`, or set DRV_TOKEN.`,
  )
}
