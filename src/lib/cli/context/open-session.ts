import type {TokenGrant} from '#lib/auth/server/responses.js'
import {createSession, type Session} from '#lib/auth/session.js'
import {stores} from '#lib/auth/store/stores.js'
import {tokenSource} from '#lib/auth/token-source.js'
import type {ProfileServer} from '#lib/config/config.js'
import type {Settings} from '#lib/config/settings.js'
import type {Addresses, Context} from './context.js'

/** The parts of a context that a session uses. */
export type SessionContext = Pick<
  Context,
  'addresses' | 'caches' | 'directories' | 'environment' | 'note' | 'now' | 'onEnd'
> &
  Pick<Context, 'send' | 'signal' | 'userAgent'>

/** Milliseconds without data after which renewing a token fails. */
const PATIENCE = 30_000

/**
 * The session for some settings, which may differ from those of the command. Opens the token store on first use.
 * `canRenew`: whether to renew an expiring token. `addresses`: the local service, for settings without a URL.
 */
export function openSession(
  context: SessionContext,
  settings: Settings,
  {
    canRenew = true,
    addresses = context.addresses,
  }: {readonly canRenew?: boolean; readonly addresses?: () => Promise<Addresses>} = {},
): Session {
  const {caches, directories, environment, now, signal, note} = context
  const openStore = stores(directories)

  async function refresh(server: ProfileServer, refreshToken: string): Promise<TokenGrant> {
    const [{openProfileServer}, {secretForServer}, {withAuthService}, send] = await Promise.all([
      import('#lib/auth/server/open-server.js'),
      import('#lib/auth/client-secret.js'),
      import('#lib/auth/errors.js'),
      context.send(),
    ])
    const isLocal = !server.authUrl && !server.issuer
    const {authUrl = '', owner} = isLocal ? await addresses() : {}
    const store = settings.signIn?.store
    const clientSecret = await secretForServer(server, {settings, environment, openStore, store})
    const {userAgent} = context
    // An interrupted command waits for the response, because a single-use refresh token would be lost.
    const headers = owner?.headers
    const line = {send, userAgent, now, headers, timeout: PATIENCE, localUrl: authUrl}
    const place = {url: server.issuer ?? server.authUrl ?? authUrl, source: 'from your sign-in'}
    const opened = await openProfileServer(server, {...line, clientSecret})
    return opened.refresh(refreshToken).catch((error: unknown) => {
      throw withAuthService(error, place)
    })
  }

  const source = tokenSource({
    settings,
    openStore,
    now,
    ...(canRenew && {refresh}),
    async runCommand(line) {
      const {runTokenCommand} = await import('#lib/auth/token-command.js')
      return runTokenCommand(line, {environment, signal})
    },
    async onKeychain() {
      const {saveKeychainState} = await import('./completion-file.js')
      await saveKeychainState(caches, settings, now())
    },
    onWait: () => note('Waiting for another drv process to renew this sign-in …'),
  })
  const {renew} = source
  if (!renew) return createSession({settings, source, now})
  const awaited: typeof renew = found => {
    const renewal = renew(found)
    context.onEnd(() => renewal.then(noop, noop))
    return renewal
  }
  return createSession({settings, source: {...source, renew: awaited}, now})
}

function noop(): void {}
