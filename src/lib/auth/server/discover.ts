import type {AuthorizationServer} from 'oauth4webapi'
import {withoutEndSlashes} from '#lib/api/url-paths.js'
import {ProtocolError, ServiceError} from '#lib/client/errors.js'
import {isLoopback} from '#lib/config/address.js'
import {isPrintable, printable} from '#lib/platform/sanitize.js'
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
 * `ProtocolError` for invalid metadata instead of treating the server as another kind.
 */
export async function discoverServer(
  issuer: string,
  exchange: Exchange,
): Promise<Metadata | undefined> {
  const oauth = await import('oauth4webapi')
  const options = libraryOptions(oauth, exchange)
  const ask = async (algorithm: 'oauth2' | 'oidc') => {
    const answer = await oauth.discoveryRequest(new URL(issuer), {...options, algorithm})
    return documentOf(answer as unknown as RawAnswer, issuer)
  }
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

/** The server that a file service names, if any. Throws `ProtocolError` for invalid metadata. */
export async function discoverByResource(
  baseUrl: string,
  exchange: Exchange,
): Promise<DiscoveredServer | undefined> {
  const oauth = await import('oauth4webapi')
  const options = libraryOptions(oauth, exchange)
  const answer = await oauth.resourceDiscoveryRequest(new URL(baseUrl), options)
  const document = documentOf(answer as unknown as RawAnswer, baseUrl)
  if (
    !document ||
    (document.resource === undefined && document.authorization_servers === undefined)
  )
    return undefined
  if (!isSame(document.resource, baseUrl)) {
    throw fault(
      `The metadata of ${baseUrl} belongs to another file service, ${shown(document.resource)}.`,
    )
  }
  const [issuer] = Array.isArray(document.authorization_servers)
    ? (document.authorization_servers as unknown[])
    : []
  if (issuer === undefined) return undefined
  checkEndpoint(issuer, `The file service at ${baseUrl} names an authorization service with`)
  const metadata = await discoverServer(withoutEndSlashes(issuer as string), exchange)
  if (!metadata) {
    throw fault(
      `The file service at ${baseUrl} names the authorization service ${shown(issuer)}, which has no metadata.`,
    )
  }
  return {metadata, scopes: textsOf(document.scopes_supported)}
}

/** The JSON object of a response; `undefined` if there is no metadata at the address. */
function documentOf(
  {status, contentType = '', body}: RawAnswer,
  address: string,
): Record<string, unknown> | undefined {
  const isJson = /[/+]json\b/i.test(contentType) || /^\s*[{[]/.test(body)
  if (status >= 500 || status === 429) {
    throw new ServiceError(status, '', `Cannot read its metadata: it returned status ${status}`)
  }
  if (status !== 200 || !isJson) return undefined
  const value = parseJson(body)
  if (isObject(value)) return value
  throw fault(`The metadata of ${address} is not a JSON object.`)
}

/** Throws for invalid metadata. An object without an issuer is not metadata. */
function checkMetadata(document: Record<string, unknown>, issuer: string): Metadata | undefined {
  if (document.issuer === undefined) return undefined
  if (!isSame(document.issuer, issuer)) {
    throw fault(
      `The metadata of ${issuer} belongs to another authorization service, ${shown(document.issuer)}. If you trust it, set DRV_AUTH_URL to its URL.`,
    )
  }
  if (document.token_endpoint === undefined) {
    throw fault(`The metadata of ${issuer} has no token_endpoint.`)
  }
  for (const [name, value] of Object.entries(document)) {
    if (name.endsWith('_endpoint'))
      checkEndpoint(value, `The ${printable(name, 60)} in the metadata of ${issuer} is`)
  }
  return {
    ...document,
    scopes_supported: textsOf(document.scopes_supported),
    token_endpoint_auth_methods_supported: textsOf(document.token_endpoint_auth_methods_supported),
  } as unknown as Metadata
}

/** Throws unless an address is safe for codes and tokens: https, or this machine. */
function checkEndpoint(value: unknown, lead: string): void {
  const url = typeof value === 'string' && isPrintable(value, 2000) ? parseUrl(value) : undefined
  if (!url) throw fault(`${lead} an invalid URL.`)
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))
  if (!isSafe || url.username || url.password) {
    throw fault(
      `${lead} an unsafe URL: ${shown(`${url.protocol}//${url.host}`)}. The URL must use https and contain no user name.`,
    )
  }
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
  return typeof value === 'string' ? printable(value, 200) : 'which is not named'
}

/** The error for untrustworthy metadata. */
function fault(message: string): ProtocolError {
  return new ProtocolError(`${message} drv does not sign in there.`)
}

/** How to send the client secret: with Basic authentication, unless the server supports only other methods. */
export function secretMethod({
  token_endpoint_auth_methods_supported: methods,
}: Pick<Metadata, 'token_endpoint_auth_methods_supported'>): 'basic' | 'post' {
  return !methods || methods.includes('client_secret_basic') ? 'basic' : 'post'
}
