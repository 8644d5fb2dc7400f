import {parseUrl} from '#lib/api/parse-url.js'
import {printable} from '#lib/platform/sanitize.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {isLoopback} from './address.js'
import type {Environment} from './paths.js'

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
