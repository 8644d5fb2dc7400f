import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import type {Send} from '#lib/client/transport/transport.js'
import type {ProfileServer} from '#lib/config/config.js'
import type {Settings} from '#lib/config/settings.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {type AuthServer, createAuthServer} from './auth-server.js'
import {
  discoverByResource,
  type DiscoveredServer,
  discoverServer,
  METADATA_LIMIT,
  secretMethod,
} from './discover.js'
import {createExchange} from './fetching.js'
import {createPost} from './form-post.js'

/** Opens the authorization server: discovered at sign-in, recorded in the configuration afterwards. */

/** Everything that requests to a server use. */
export interface ServerSettings {
  readonly send: Send
  readonly userAgent: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** Milliseconds without data before a request fails. */
  readonly timeout?: number
}

/** Time limit for metadata, in milliseconds. */
const METADATA_TIME = 10_000

/**
 * Discovers the standard server of these settings; `undefined` for a service that follows the specification, such as the
 * local one (no request). Throws `SetupError('configuration')` without a client ID, and the errors of `discoverServer`.
 */
export async function findServer(
  {embedded, baseUrl = '', authUrl = '', sources, clientId}: Settings,
  line: ServerSettings,
): Promise<DiscoveredServer | undefined> {
  if (embedded) return undefined
  const exchange = createExchange({
    ...line,
    limit: METADATA_LIMIT,
    total: METADATA_TIME,
    returnsRedirects: true,
  })
  // Without a configured address, the file service may name the server.
  const isAsked = sources?.authUrl === 'default'
  const look = async (): Promise<DiscoveredServer | undefined> => {
    const metadata = await discoverServer(authUrl, exchange)
    return metadata && {metadata}
  }
  const found = isAsked ? await discoverByResource(baseUrl, exchange) : await look()
  if (!found || clientId !== BUILTIN_CLIENT_ID) return found
  throw new SetupError(
    'configuration',
    `drv has no built-in client ID for ${found.metadata.issuer}. Register a native (desktop) app there, and set DRV_CLIENT_ID to its client ID.`,
  )
}

/** Opens a server of either kind; `authUrl` is used if it is not a standard server. */
export async function openServer(
  found: DiscoveredServer | undefined,
  {
    clientId,
    clientSecret,
    authUrl,
    ...line
  }: ServerSettings & {
    readonly clientId: string
    readonly clientSecret?: string
    readonly authUrl: string
  },
): Promise<AuthServer> {
  const {now} = line
  if (!found) {
    const post = createPost({authUrl, ...line})
    return createAuthServer({authUrl, clientId, clientSecret, post, now})
  }
  const {createStandardServer} = await import('./standard.js')
  const {metadata} = found
  return createStandardServer({
    metadata,
    clientId,
    clientSecret,
    exchange: createExchange(line),
    now,
  })
}

/** The record of a server at sign-in. Later requests send tokens only to the recorded addresses. */
export function profileServer(
  found: DiscoveredServer | undefined,
  {clientId, embedded, authUrl}: Pick<Settings, 'clientId' | 'embedded' | 'authUrl'>,
  hasSecret: boolean,
): ProfileServer {
  if (!found) {
    return {clientId, ...(!embedded && {authUrl}), ...(hasSecret && {secret: 'post'})}
  }
  const {issuer, token_endpoint: tokenUrl, revocation_endpoint: revocationUrl} = found.metadata
  const secret = hasSecret ? secretMethod(found.metadata) : undefined
  return {
    clientId,
    issuer,
    tokenUrl,
    ...(revocationUrl && {revocationUrl}),
    ...(secret && {secret}),
  }
}

/** The server that issued a token, as recorded at sign-in; `localUrl` is the address of the local service. */
export function openProfileServer(
  {clientId, authUrl, issuer, tokenUrl, revocationUrl, secret}: ProfileServer,
  {localUrl, ...line}: ServerSettings & {readonly localUrl: string; readonly clientSecret?: string},
): Promise<AuthServer> {
  const found =
    issuer !== undefined && tokenUrl !== undefined
      ? {
          metadata: {
            issuer,
            token_endpoint: tokenUrl,
            revocation_endpoint: revocationUrl,
            token_endpoint_auth_methods_supported: [`client_secret_${secret ?? 'basic'}`],
          },
        }
      : undefined
  return openServer(found, {...line, clientId, authUrl: authUrl ?? localUrl})
}
