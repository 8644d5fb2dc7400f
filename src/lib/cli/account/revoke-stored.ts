import {secretForServer} from '#lib/auth/client-secret.js'
import {type Revoked, revokeTokens} from '#lib/auth/revocation.js'
import {openProfileServer} from '#lib/auth/server/open-server.js'
import {readRefreshToken, readStoredToken} from '#lib/auth/store/entries.js'
import {stores} from '#lib/auth/store/stores.js'
import type {Context} from '#lib/cli/context/context.js'

/** Time limit for the revocation in milliseconds. */
const PATIENCE = 5000

/** Revokes the tokens of a stored sign-in, if its server supports that. Never throws. */
export async function revokeStored(context: Context): Promise<Revoked> {
  const {environment, directories, now, userAgent, signal} = context
  const settings = await context.settings()
  const {store: kind, server} = settings.signIn ?? {}
  if (kind === undefined || !server?.revocationUrl) return 'impossible'
  try {
    const openStore = stores(directories)
    const store = openStore(kind)
    const stored = await readStoredToken(store, settings)
    const refreshToken = await readRefreshToken(store, settings, server)
    if (!stored && refreshToken === undefined) return 'impossible'
    const input = {settings, environment, openStore, store: kind}
    const opened = await openProfileServer(server, {
      send: await context.send(),
      userAgent,
      now,
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
      timeout: PATIENCE,
      localUrl: '',
      clientSecret: await secretForServer(server, input),
    })
    return await revokeTokens(opened, {token: stored?.token, refreshToken})
  } catch {
    return 'failed'
  }
}
