import type {AuthorizationServer} from 'oauth4webapi'
import {withoutEndSlashes} from '#lib/api/url-paths.js'
import {ProtocolError, ServiceError} from '#lib/client/errors.js'
import {isLoopback} from '#lib/config/address.js'
import {isPrintable, printable} from '#lib/platform/sanitize.js'
import {isObject, parseJson, parseUrl} from '#lib/platform/values.js'
import {type Exchange, libraryOptions, type RawAnswer} from './fetching.js'

/** Which kind of authorization server is at an address, by its metadata (RFC 8414, OpenID Discovery, RFC 9728). */

/** A standard server as its metadata has it; every address in it was checked. */
export type Metadata = AuthorizationServer & {
  readonly token_endpoint: string
}

/** What was found of where people sign in. */
export interface Found {
  readonly metadata: Metadata
  /** What the file service says may be asked for (RFC 9728). */
  readonly scopes?: readonly string[]
}

/** Bytes that metadata may have. */
export const METADATA_LIMIT = 256 * 1024

/**
 * The metadata of an issuer; `undefined` where there is none, as at a service of the document's kind. Fails where there is
 * some that does not hold: it is never taken for another kind of server.
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
  // Both at once: whichever is there counts.
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

/** The server that a file service names; `undefined` where it names none. Fails where what it names does not hold. */
export async function discoverByResource(
  baseUrl: string,
  exchange: Exchange,
): Promise<Found | undefined> {
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
      `The metadata of ${baseUrl} is that of another file service, ${shown(document.resource)}.`,
    )
  }
  const [issuer] = Array.isArray(document.authorization_servers)
    ? (document.authorization_servers as unknown[])
    : []
  if (issuer === undefined) return undefined
  checkEndpoint(issuer, `The file service at ${baseUrl} names an authorization server`)
  const metadata = await discoverServer(withoutEndSlashes(issuer as string), exchange)
  if (!metadata) {
    throw fault(
      `The file service at ${baseUrl} names ${shown(issuer)} as its authorization server, which has no metadata.`,
    )
  }
  return {metadata, scopes: textsOf(document.scopes_supported)}
}

/** The JSON object of an answer; `undefined` where the address is not that of metadata. */
function documentOf(
  {status, contentType = '', body}: RawAnswer,
  address: string,
): Record<string, unknown> | undefined {
  const isJson = /[/+]json\b/i.test(contentType) || /^\s*[{[]/.test(body)
  if (status >= 500 || status === 429) {
    throw new ServiceError(
      status,
      '',
      `It does not show its metadata now, and answers with status ${status}`,
    )
  }
  if (status !== 200 || !isJson) return undefined
  const value = parseJson(body)
  if (isObject(value)) return value
  throw fault(`The metadata of ${address} is no JSON object.`)
}

/** Throws where metadata does not hold. An object without an issuer is none. */
function checkMetadata(document: Record<string, unknown>, issuer: string): Metadata | undefined {
  if (document.issuer === undefined) return undefined
  if (!isSame(document.issuer, issuer)) {
    throw fault(
      `The metadata of ${issuer} is that of another server, ${shown(document.issuer)}. Set DRV_AUTH_URL to the address that it names, if that is yours.`,
    )
  }
  if (document.token_endpoint === undefined) {
    throw fault(`The metadata of ${issuer} names no address for tokens (token_endpoint).`)
  }
  for (const [name, value] of Object.entries(document)) {
    if (name.endsWith('_endpoint'))
      checkEndpoint(value, `The metadata of ${issuer} names an address (${printable(name, 60)})`)
  }
  return {
    ...document,
    scopes_supported: textsOf(document.scopes_supported),
    token_endpoint_auth_methods_supported: textsOf(document.token_endpoint_auth_methods_supported),
  } as unknown as Metadata
}

/** Throws unless an address is one that codes and tokens may go to: https, or this machine. */
function checkEndpoint(value: unknown, lead: string): void {
  const url = typeof value === 'string' && isPrintable(value, 2000) ? parseUrl(value) : undefined
  if (!url) throw fault(`${lead} that is none.`)
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))
  if (!isSafe || url.username || url.password) {
    throw fault(
      `${lead} that drv sends nothing to: ${shown(`${url.protocol}//${url.host}`)}. It has to be https, without a user name.`,
    )
  }
}

function textsOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.filter(
    text => typeof text === 'string' && /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(text),
  ) as string[]
}

/** Whether a text is an address, one slash at the end forgiven. */
function isSame(value: unknown, address: string): boolean {
  const url = typeof value === 'string' ? parseUrl(value) : undefined
  return (
    url !== undefined && withoutEndSlashes(url.href) === withoutEndSlashes(new URL(address).href)
  )
}

function shown(value: unknown): string {
  return typeof value === 'string' ? printable(value, 200) : 'which it does not name'
}

/** The error for metadata that must not be believed. */
function fault(message: string): ProtocolError {
  return new ProtocolError(`${message} drv does not sign in there.`)
}

/** How a server takes an app's secret: by Basic authentication, unless it names other ways only. */
export function secretMethod({
  token_endpoint_auth_methods_supported: methods,
}: Pick<Metadata, 'token_endpoint_auth_methods_supported'>): 'basic' | 'post' {
  return !methods || methods.includes('client_secret_basic') ? 'basic' : 'post'
}
