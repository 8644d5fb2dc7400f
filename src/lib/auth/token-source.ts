import {readRefreshToken, readStoredToken} from '#lib/auth/store/entries.js'
import type {OpenStore} from '#lib/auth/store/store.js'
import type {ProfileServer} from '#lib/config/config.js'
import type {Settings} from '#lib/config/settings.js'
import type {Renewing} from './renewal.js'
import type {TokenGrant} from './server/responses.js'
import type {FoundToken, TokenSource} from './session.js'
import {commandSource} from './token-command.js'

interface SourceOptions {
  readonly settings: Settings
  readonly openStore: OpenStore
  /** Runs a shell command and returns its output. */
  readonly runCommand: (line: string) => Promise<string>
  /** Exchanges a refresh token at the server that issued it; without this, stored tokens are not renewed. */
  readonly refresh?: (server: ProfileServer, refreshToken: string) => Promise<TokenGrant>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Called when the token came from the keychain. */
  readonly onKeychain?: () => Promise<void>
  /** Called when another drv has been renewing the token for a while. */
  readonly onWait?: Renewing['onWait']
}

/**
 * Returns the token source for these settings: DRV_TOKEN, DRV_TOKEN_COMMAND, or the store of this profile and service,
 * which is opened on first use. The source throws `SetupError('keychain')` if the store cannot be read.
 */
export function tokenSource(options: SourceOptions): TokenSource {
  const {environmentToken, tokenCommand} = options.settings
  if (environmentToken !== undefined) {
    return {find: async () => ({token: environmentToken, source: 'DRV_TOKEN'})}
  }
  if (tokenCommand !== undefined) return commandSource(() => options.runCommand(tokenCommand))
  return storedSource(options)
}

function storedSource({
  settings,
  openStore,
  refresh,
  now,
  onKeychain,
  onWait,
}: SourceOptions): TokenSource {
  const {signIn} = settings
  if (signIn === undefined) return {find: async () => undefined}
  const {store: source, server} = signIn
  const find = async (): Promise<FoundToken | undefined> => {
    const found = await readStoredToken(openStore(source), settings)
    if (found && source === 'keychain') await onKeychain?.()
    return found && {...found, source}
  }
  if (!server) return {find}
  const isRenewable = async () =>
    (await readRefreshToken(openStore(source), settings, server)) !== undefined
  if (!refresh) return {find, isRenewable}
  return {
    find,
    isRenewable,
    async renew(old) {
      const {renewStored} = await import('./renewal.js')
      const ask = (refreshToken: string) => refresh(server, refreshToken)
      const store = openStore(source)
      const token = await renewStored({settings, server, store, refresh: ask, now, onWait}, old)
      return token && {...token, source}
    },
  }
}
