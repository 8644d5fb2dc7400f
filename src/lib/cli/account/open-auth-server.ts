import {authServiceOf, namingAuthService} from '#lib/auth/errors.js'
import type {AuthServer} from '#lib/auth/server/auth-server.js'
import type {Found} from '#lib/auth/server/discover.js'
import {findServer, notedServer, openServer} from '#lib/auth/server/open-server.js'
import type {Context} from '#lib/cli/context/context.js'
import type {NotedServer} from '#lib/config/config.js'

/** Where people sign in. */
export interface AuthPlace {
  /** The standard server; `undefined` at a service of the document's kind. */
  readonly found?: Found
  open(clientSecret?: string): Promise<AuthServer>
  /** What is noted of it. */
  noted(hasSecret: boolean): NotedServer
  /** Throws an error with the service named. */
  blame(error: unknown): never
}

/** What every flow works with; `scopes` are full values. */
export interface Flow extends Pick<AuthPlace, 'blame'> {
  readonly server: AuthServer
  readonly scopes: readonly string[]
}

/** Finds the authorization service of the settings, and how its errors come to name it. */
export async function findAuthPlace(context: Context): Promise<AuthPlace> {
  const {signal, userAgent, now} = context
  const [settings, {authUrl, owner}, send] = await Promise.all([
    context.settings(),
    context.addresses(),
    context.send(),
  ])
  const line = {send, userAgent, now, signal, headers: owner?.headers}
  const {clientId} = settings
  const place = authServiceOf(settings, authUrl)
  const found = await findServer(settings, line).catch((error: unknown) => {
    throw namingAuthService(error, place)
  })
  const issuer = found && {...place, url: found.metadata.issuer}
  return {
    found,
    open: clientSecret => openServer(found, {...line, clientId, clientSecret, authUrl}),
    noted: hasSecret => notedServer(found, settings, hasSecret),
    blame: error => {
      throw namingAuthService(error, issuer ?? place)
    },
  }
}
