import {ProxyError} from '#lib/client/errors.js'
import {type Proxy, shownProxy} from '#lib/config/proxy.js'

/** Why a proxy did not let a request through, in words. Pure. */

/**
 * `cause` is the status it answered with, or the code of what went wrong on the way to it;
 * `hasWorked` says that it has let requests of this command through before.
 */
export function proxyError(proxy: Proxy, cause: number | string, hasWorked = false): ProxyError {
  const name = `The proxy ${shownProxy(proxy)}`
  const {variable} = proxy
  const mayPass = hasWorked || (typeof cause === 'number' && cause >= 500)
  return new ProxyError(`${name} ${wordsFor(cause)}.`, hintFor(cause, variable), mayPass)
}

function wordsFor(cause: number | string): string {
  if (cause === 407) return 'wants a user name and password, or refused those it got (407)'
  if (cause === 403) return 'does not allow connections to this service (403)'
  if (typeof cause === 'number') return `answered with status ${cause}`
  return PROXY_WORDS[cause] ?? 'could not be reached'
}

const PROXY_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'broke off the connection',
  ENOTFOUND: 'is not a known host',
  EAI_AGAIN: 'could not be looked up',
  ETIMEDOUT: 'did not answer in time',
}

function hintFor(cause: number | string, variable: string): string {
  if (cause === 407) {
    return `Put them into ${variable}, as in http://USER:PASSWORD@proxy.example.com:3128; % and @ in them as %25 and %40.`
  }
  const exception = 'or list the host of the service in NO_PROXY to reach it without a proxy'
  return `${variable} names the proxy: check it, ${exception}.`
}
