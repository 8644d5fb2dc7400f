import type {AuthorizationServer} from 'oauth4webapi'
import {withoutEndSlashes} from '#lib/api/url-paths.js'
import {ProtocolError, ServiceError} from '#lib/client/errors.js'
import {isLoopback} from '#lib/config/address.js'
import {isPrintable, printable} from '#lib/platform/sanitize.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {isObject, parseJson, parseUrl} from '#lib/platform/values.js'
import {type Exchange, libraryOptions, type RawAnswer} from './fetching.js'

/** Discovers a standard authorization server by its metadata (RFC 8414, OpenID Discovery, RFC 9728). */

/** The metadata of a standard server, with all addresses checked. */
export type Metadata = AuthorizationServer & {
  readonly token_endpoint: string
}

/** A discovered server. */
export interface DiscoveredServer {
  readonly metadata: Metadata
  /** The scopes that the file service supports (RFC 9728). */
  readonly scopes?: readonly string[]
}

/** Maximum size of metadata in bytes. */
export const METADATA_LIMIT = 256 * 1024

/**
 * The metadata of an issuer; `undefined` without metadata, as at a service that follows the specification. Throws
 * `SetupError('configuration')` for invalid metadata instead of treating the server as another kind.
 */
export async function discoverServer(
  issuer: string,
  exchange: Exchange,
): Promise<Metadata | undefined> {
  const oauth = await import('oauth4webapi')
  const options = libraryOptions(oauth, exchange)
  const ask = (algorithm: 'oauth2' | 'oidc') =>
    readDocument(
      () => oauth.discoveryRequest(new URL(issuer), {...options, algorithm}),
      `Cannot sign in at ${issuer}: its metadata`,
      'DRV_AUTH_URL',
    )
  // Both requests run concurrently; either is sufficient.
  const [first, second] = await Promise.allSettled([ask('oauth2'), ask('oidc')])
  const found = [first, second].map(result => {
    if (result.status === 'rejected') return {fault: result.reason as Error}
    if (result.value === undefined) return {}
    try {
      return {metadata: checkMetadata(result.value, issuer)}
    } catch (fault) {
      return {fault: fault as Error}
    }
  })
  const metadata = found.find(one => one.metadata)?.metadata
  const fault = found.find(one => one.fault)?.fault
  if (!metadata && fault) throw fault
  return metadata
}

/** The server that a file service names, if any. Throws `SetupError('configuration')` for invalid metadata. */
export async function discoverByResource(
  baseUrl: string,
  exchange: Exchange,
): Promise<DiscoveredServer | undefined> {
  const oauth = await import('oauth4webapi')
  const options = libraryOptions(oauth, exchange)
  const lead = `Cannot sign in: the metadata of the file service at ${baseUrl}`
  const document = await readDocument(
    () => oauth.resourceDiscoveryRequest(new URL(baseUrl), options),
    lead,
    'DRV_BASE_URL',
  )
  if (
    !document ||
    (document.resource === undefined && document.authorization_servers === undefined)
  )
    return undefined
  if (!isSame(document.resource, baseUrl)) {
    throw fault(`${lead} belongs to another file service, ${shown(document.resource)}`)
  }
  const [issuer] = Array.isArray(document.authorization_servers)
    ? (document.authorization_servers as unknown[])
    : []
  if (issuer === undefined) return undefined
  checkEndpoint(issuer, lead, 'authorization_servers')
  const metadata = await discoverServer(withoutEndSlashes(issuer as string), exchange)
  if (!metadata) {
    throw fault(`${lead} names the authorization service ${shown(issuer)}, which has no metadata`)
  }
  return {metadata, scopes: textsOf(document.scopes_supported)}
}

/**
 * Requests metadata and returns its JSON object; `undefined` if the address has no metadata. `lead` starts the message
 * of an error, and `variable` holds the address of the server.
 */
async function readDocument(
  request: () => Promise<unknown>,
  lead: string,
  variable: string,
): Promise<Record<string, unknown> | undefined> {
  const answer = await request().catch((error: unknown) => {
    if (!(error instanceof ProtocolError)) throw error
    throw fault(`${lead} is larger than ${METADATA_LIMIT / 1024} KiB or unreadable`, error)
  })
  const {status, contentType = '', body, redirect} = answer as RawAnswer
  if (redirect && isMoved(redirect)) {
    const place = shown(redirect.to.origin + redirect.to.pathname)
    throw fault(
      `${lead} has moved to ${place}; if the service has moved, set ${variable} to its new URL`,
    )
  }
  if (status >= 500 || status === 429) {
    const service = variable === 'DRV_BASE_URL' ? 'file' : 'authorization'
    throw new ServiceError(
      status,
      '',
      `The ${service} service returned status ${status} for its metadata`,
    )
  }
  const isJson = /[/+]json\b/i.test(contentType) || /^\s*[{[]/.test(body)
  if (status !== 200 || !isJson) return undefined
  const value = parseJson(body)
  if (isObject(value)) return value
  throw fault(`${lead} is not a JSON object`)
}

/**
 * Whether a redirect leads to the same metadata at another place. Any other redirect means that there is no metadata:
 * many services redirect unknown addresses to a page.
 */
function isMoved({from, to}: NonNullable<RawAnswer['redirect']>): boolean {
  const isSamePlace = to.origin === from.origin && to.pathname === from.pathname
  const name = from.pathname.slice(from.pathname.indexOf('/.well-known/'))
  return !isSamePlace && to.pathname.endsWith(name)
}

/** Throws for invalid metadata. An object without an issuer is not metadata. */
function checkMetadata(document: Record<string, unknown>, issuer: string): Metadata | undefined {
  if (document.issuer === undefined) return undefined
  const lead = `Cannot sign in at ${issuer}: its metadata`
  if (typeof document.issuer !== 'string') throw fault(`${lead} has no valid issuer`)
  if (!isSame(document.issuer, issuer)) {
    throw fault(
      `${lead} belongs to another authorization service, ${shown(document.issuer)}; if you trust it, set DRV_AUTH_URL to its URL`,
    )
  }
  if (document.token_endpoint === undefined) throw fault(`${lead} has no token_endpoint`)
  for (const [name, value] of Object.entries(document)) {
    if (name.endsWith('_endpoint')) checkEndpoint(value, lead, name)
  }
  return {
    ...document,
    scopes_supported: textsOf(document.scopes_supported),
    token_endpoint_auth_methods_supported: textsOf(document.token_endpoint_auth_methods_supported),
  } as unknown as Metadata
}

/** Throws unless an address is safe for codes and tokens: https, or this machine. */
function checkEndpoint(value: unknown, lead: string, name: string): void {
  const field = printable(name, 60)
  const url = typeof value === 'string' && isPrintable(value, 2000) ? parseUrl(value) : undefined
  if (!url) throw fault(`${lead} has an invalid URL (${field})`)
  if (url.username || url.password) {
    throw fault(`${lead} has a URL with a user name (${field})`)
  }
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))
  if (isSafe) return
  const place = shown(`${url.protocol}//${url.host}`)
  throw fault(`${lead} has a URL that does not use https (${field}: ${place})`)
}

function textsOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.filter(
    text => typeof text === 'string' && /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(text),
  ) as string[]
}

/** Whether a value is this address, ignoring a final slash. */
function isSame(value: unknown, address: string): boolean {
  const url = typeof value === 'string' ? parseUrl(value) : undefined
  return (
    url !== undefined && withoutEndSlashes(url.href) === withoutEndSlashes(new URL(address).href)
  )
}

function shown(value: unknown): string {
  return typeof value === 'string' ? printable(value, 200) : 'without a name'
}

/** The error for untrustworthy metadata. */
function fault(message: string, cause?: unknown): SetupError {
  return new SetupError('configuration', `${message}.`, {cause})
}

/** How to send the client secret: with Basic authentication, unless the server supports only other methods. */
export function secretMethod({
  token_endpoint_auth_methods_supported: methods,
}: Pick<Metadata, 'token_endpoint_auth_methods_supported'>): 'basic' | 'post' {
  return !methods || methods.includes('client_secret_basic') ? 'basic' : 'post'
}
