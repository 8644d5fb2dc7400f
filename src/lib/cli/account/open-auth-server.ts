import {authServiceOf, withAuthService} from '#lib/auth/errors.js'
import type {AuthServer} from '#lib/auth/server/auth-server.js'
import type {DiscoveredServer} from '#lib/auth/server/discover.js'
import {findServer, openServer, profileServer} from '#lib/auth/server/open-server.js'
import type {Context} from '#lib/cli/context/context.js'
import type {ProfileServer} from '#lib/config/config.js'

/** The authorization service of the settings. */
export interface AuthSettings {
  /** The standard server; `undefined` for a service that follows the specification. */
  readonly found?: DiscoveredServer
  open(clientSecret?: string): Promise<AuthServer>
  /** The record for the configuration. */
  noted(hasSecret: boolean): ProfileServer
  /** Throws the error with the address of the service. */
  blame(error: unknown): never
}

/** The input of every flow; `scopes` are full values. */
export interface SignInFlow extends Pick<AuthSettings, 'blame'> {
  readonly server: AuthServer
  readonly scopes: readonly string[]
}

/** Finds the authorization service of the settings. */
export async function findAuthPlace(context: Context): Promise<AuthSettings> {
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
    throw withAuthService(error, place)
  })
  const issuer = found && {...place, url: found.metadata.issuer}
  return {
    found,
    open: clientSecret => openServer(found, {...line, clientId, clientSecret, authUrl}),
    noted: hasSecret => profileServer(found, settings, hasSecret),
    blame: error => {
      throw withAuthService(error, issuer ?? place)
    },
  }
}
