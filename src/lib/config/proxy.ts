import {printable} from '../api/text.js'
import {isLoopback} from './address.js'
import {SetupError} from './errors.js'
import type {Environment} from './paths.js'

/** Which proxy stands between this machine and a service, as the environment says. Pure. */

export interface Proxy {
  /** http or https; may hold a user name and password, which are never shown. */
  readonly url: URL
  /** The variable that names it. */
  readonly variable: string
}

/**
 * The proxy for an address; `undefined` where none is to be used: for http, which goes to this
 * machine alone, for this machine by its literal address, and for what `NO_PROXY` lists. Variables
 * in small letters win, empty ones are unset. Throws `SetupError('environment')` for a variable
 * that names no proxy of a kind that is known.
 */
export function proxyFor(target: URL, environment: Environment): Proxy | undefined {
  if (target.protocol !== 'https:' || isLoopback(target)) return undefined
  const found = variable(environment, 'HTTPS_PROXY')
  if (!found || isExcepted(target, variable(environment, 'NO_PROXY')?.text ?? '')) return undefined
  return {url: proxyAddress(found.text, found.name), variable: found.name}
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
  const url = URL.canParse(address) ? new URL(address) : undefined
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
