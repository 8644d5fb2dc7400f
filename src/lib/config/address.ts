import {withoutEndSlashes} from '#lib/api/url-paths.js'
import {isPrintable, printable} from '#lib/platform/sanitize.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {parseUrl} from '#lib/platform/values.js'
import type {Environment} from './paths.js'

/** Checks the addresses of services and finds their proxies. */

/** Whether the host of a URL is a literal loopback address (127.0.0.0/8, ::1) or `localhost`. */
export function isLoopback(url: URL): boolean {
  const host = url.hostname.toLowerCase()
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}

/**
 * Checks and normalizes the address of a service: https, or http on this machine; no credentials, query, fragment or
 * final slash. `source` names its origin, such as `DRV_BASE_URL`. Throws `SetupError('configuration')`.
 */
export function checkAddress(text: string, source: string): string {
  const fail = (wrong: string) =>
    new SetupError(
      'configuration',
      `${source} ${wrong}. Use a URL such as https://files.example.com.`,
    )
  const shown = withoutSecretParts(text)
  const url = parseUrl(text)
  if (!url) throw fail(`is not a valid URL: "${shown}"`)
  if (url.username || url.password) throw fail('must not contain a user name or password')
  if (url.search || url.hash) throw fail('must not contain "?" or "#"')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw fail(`must start with https://, not ${printable(url.protocol, 20)}`)
  }
  checkOrigin(url, source)
  return url.origin + withoutEndSlashes(url.pathname)
}

/** An invalid address for an error message, without the parts that may be secret. */
function withoutSecretParts(text: string): string {
  const shown = text.replace(/[?#].*$/s, '').replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1')
  return printable(shown, 100)
}

/** Throws `SetupError('configuration')` for an address that would send tokens unencrypted. */
export function checkOrigin(url: URL, source: string): void {
  if (url.protocol === 'https:' || isLoopback(url)) return
  throw new SetupError(
    'configuration',
    `${source} would send your token unencrypted to ${printable(url.host, 100)}. Use https://; http:// is allowed only for this machine.`,
  )
}

/** Like `webAddress`, but only for a printable address of at most 2,000 characters. */
export function displayableAddress(text: string): string | undefined {
  return isPrintable(text, 2000) ? webAddress(text) : undefined
}

/**
 * Normalizes an address from a service for a browser: one line of ASCII. `undefined` for schemes other than http(s) and
 * for addresses with credentials.
 */
export function webAddress(text: string): string | undefined {
  const url = parseUrl(text)
  if (!url) return undefined
  const {protocol, username, password, href} = url
  const isWeb = protocol === 'https:' || protocol === 'http:'
  return isWeb && !username && !password ? href : undefined
}

/** Parameters with secret values. */
const SECRETS = /(?<=[?&](?:access_token|oauth_token|upload_id|key|code|client_secret)=)[^&#]+/g

/** An address without credentials and secret parameters, for display. */
export function shownAddress(url: URL): string {
  const shown = new URL(url)
  shown.username = ''
  shown.password = ''
  return shown.href.replace(SECRETS, '***')
}

/** The proxy for an address, from the environment. Pure. */

export interface Proxy {
  /** http or https; may contain a user name and password, which are never shown. */
  readonly url: URL
  /** The variable that it comes from. */
  readonly variable: string
}

/** The route of requests to an address: the proxy, or why there is no proxy. */
export type ProxyRoute =
  | {readonly proxy: Proxy}
  | {
      readonly proxy?: undefined
      readonly why: 'this machine' | 'no variable' | 'exception'
      /** The variable that makes the exception. */
      readonly variable?: string
    }

/**
 * The route to an address. Loopback addresses, which alone may use http, and hosts in `NO_PROXY` need no proxy.
 * Lower-case variables take precedence; empty ones count as unset. Throws `SetupError('environment')` for an invalid or
 * unsupported proxy.
 */
export function routeTo(target: URL, environment: Environment): ProxyRoute {
  if (target.protocol !== 'https:' || isLoopback(target)) return {why: 'this machine'}
  const found = variable(environment, 'HTTPS_PROXY')
  if (!found) return {why: 'no variable'}
  const exceptions = variable(environment, 'NO_PROXY')
  if (exceptions && isExcepted(target, exceptions.text)) {
    return {why: 'exception', variable: exceptions.name}
  }
  return {proxy: {url: proxyAddress(found.text, found.name), variable: found.name}}
}

/** The proxy for an address, if any. */
export function proxyFor(target: URL, environment: Environment): Proxy | undefined {
  return routeTo(target, environment).proxy
}

/** The address of a proxy without credentials: `http://proxy.example.com:3128`. */
export function shownProxy({url}: Proxy): string {
  return `${url.protocol}//${url.hostname}:${portOf(url)}`
}

function portOf({protocol, port}: URL): string {
  return port || (protocol === 'https:' ? '443' : '80')
}

function variable(environment: Environment, upper: string) {
  const name = [upper.toLowerCase(), upper].find(name => environment[name]?.trim())
  return name === undefined ? undefined : {name, text: environment[name]!.trim()}
}

/** The scheme defaults to http, as in curl. */
function proxyAddress(text: string, source: string): URL {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const url = parseUrl(address)
  if (url && /^https?:$/.test(url.protocol)) return url
  throw new SetupError(
    'environment',
    url
      ? `${source} names an unsupported kind of proxy (${printable(url.protocol, 20)}). Set it to a URL such as http://proxy.example.com:3128, or unset it.`
      : `${source} is not a valid proxy URL. Set it to a URL such as http://proxy.example.com:3128, or unset it.`,
  )
}

/** Whether a NO_PROXY list covers a host: a name includes its subdomains, as in curl. */
function isExcepted({hostname}: URL, list: string): boolean {
  const host = bareName(hostname)
  return list
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(bareName)
    .some(name => name === '*' || host === name || host.endsWith(`.${name}`))
}

function bareName(name: string): string {
  return name
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/^\.+|\.+$/g, '')
}
