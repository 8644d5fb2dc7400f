import {authServiceOf, namingAuthService} from '#lib/auth/errors.js'
import type {AuthServer} from '#lib/auth/server/auth-server.js'
import type {Found} from '#lib/auth/server/discover.js'
import {findServer, notedServer, openServer} from '#lib/auth/server/open-server.js'
import type {Context} from '#lib/cli/context/context.js'
import type {NotedServer} from '#lib/config/config.js'

/** The authorization service of the settings. */
export interface AuthPlace {
  /** The standard server; `undefined` for a service that follows the specification. */
  readonly found?: Found
  open(clientSecret?: string): Promise<AuthServer>
  /** The record for the configuration. */
  noted(hasSecret: boolean): NotedServer
  /** Throws the error with the address of the service. */
  blame(error: unknown): never
}

/** The input of every flow; `scopes` are full values. */
export interface Flow extends Pick<AuthPlace, 'blame'> {
  readonly server: AuthServer
  readonly scopes: readonly string[]
}

/** Finds the authorization service of the settings. */
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
