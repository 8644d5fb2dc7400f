import {withoutEndSlashes} from '#lib/api/url-paths.js'
import {isPrintable, printable} from '#lib/platform/sanitize.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {parseUrl} from '#lib/platform/values.js'
import type {Environment} from './paths.js'

/** Addresses of services: which are allowed, and what counts as this very machine. */

/** Whether a URL's host is this machine by its literal address (127.0.0.0/8, ::1) or as `localhost`. */
export function isLoopback(url: URL): boolean {
  const host = url.hostname.toLowerCase()
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}

/**
 * A service's address as everything else uses it: no slash at the end. https, or http on this
 * machine; no credentials, query or fragment. `source` names where it came from: `DRV_BASE_URL`.
 * Throws `SetupError('configuration')` with what is wrong.
 */
export function checkAddress(text: string, source: string): string {
  const fail = (wrong: string) =>
    new SetupError(
      'configuration',
      `${source} ${wrong}. Give it an address such as https://files.example.com.`,
    )
  const shown = withoutSecretParts(text)
  const url = parseUrl(text)
  if (!url) throw fail(`is not an address: "${shown}"`)
  if (url.username || url.password) throw fail('must not hold a user name or password')
  if (url.search || url.hash) throw fail(`must not have a "?" or "#" part: "${shown}"`)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw fail(`must start with https://, not ${printable(url.protocol, 20)}`)
  }
  checkOrigin(url, source)
  return url.origin + withoutEndSlashes(url.pathname)
}

/** A text that is no proper address, for a message: without the parts that may be secret. */
function withoutSecretParts(text: string): string {
  const place = text.replace(/[?#].*$/s, '').replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1')
  return printable(place, 100)
}

/** Throws `SetupError('configuration')` for an address that would carry a token in the open. */
export function checkOrigin(url: URL, source: string): void {
  if (url.protocol === 'https:' || isLoopback(url)) return
  throw new SetupError(
    'configuration',
    `${source} would send your token unprotected to ${printable(url.host, 100)}. Use https:// there; http:// is only for this machine.`,
  )
}

/** `webAddress` for an address of at most 2,000 characters that can also be shown as it came. */
export function pageAddress(text: string): string | undefined {
  return isPrintable(text, 2000) ? webAddress(text) : undefined
}

/**
 * An address that a service gave for a person's browser, as the browser understands it: one line of
 * ASCII. `undefined` for anything but http(s), and for one that holds credentials.
 */
export function webAddress(text: string): string | undefined {
  const url = parseUrl(text)
  if (!url) return undefined
  const {protocol, username, password, href} = url
  const isWeb = protocol === 'https:' || protocol === 'http:'
  return isWeb && !username && !password ? href : undefined
}

/** Parameters whose value lets in whoever knows it. */
const SECRETS = /(?<=[?&](?:access_token|oauth_token|upload_id|key|code|client_secret)=)[^&#]+/g

/** An address as it may be shown: without what lets others in. */
export function shownAddress(url: URL): string {
  const shown = new URL(url)
  shown.username = ''
  shown.password = ''
  return shown.href.replace(SECRETS, '***')
}

/** Which proxy stands between this machine and a service, as the environment says. Pure. */

export interface Proxy {
  /** http or https; may hold a user name and password, which are never shown. */
  readonly url: URL
  /** The variable that names it. */
  readonly variable: string
}

/** How requests get to an address: through a proxy, or not, and why not. */
export type ProxyRoute =
  | {readonly proxy: Proxy}
  | {
      readonly proxy?: undefined
      readonly why: 'this machine' | 'no variable' | 'exception'
      /** The variable that makes the exception. */
      readonly variable?: string
    }

/**
 * The way to an address. There is no proxy for this machine by its literal address, which alone is
 * reached by http, nor for what `NO_PROXY` lists. Variables in small letters win, empty ones are
 * unset. Throws `SetupError('environment')` for a variable that names no proxy of a kind that is
 * known.
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

/** The proxy for an address; `undefined` where none is to be used. */
export function proxyFor(target: URL, environment: Environment): Proxy | undefined {
  return routeTo(target, environment).proxy
}

/** The proxy's address without what must not be shown: `http://proxy.example.com:3128`. */
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

/** Where there is no scheme it is http, as in curl. */
function proxyAddress(text: string, source: string): URL {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const url = parseUrl(address)
  if (url && /^https?:$/.test(url.protocol)) return url
  throw new SetupError(
    'environment',
    url
      ? `${source} names a proxy of a kind that drv does not speak (${printable(url.protocol, 20)}). Give it an address such as http://proxy.example.com:3128, or unset it.`
      : `${source} is no address of a proxy. Give it one such as http://proxy.example.com:3128, or unset it.`,
  )
}

/** Whether a list of names covers a host: a name counts for all below it, by whole labels, as in curl. */
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
