import {NetworkError, ProxyError} from '#lib/client/errors.js'
import {type Proxy, shownProxy} from '#lib/config/address.js'
import {printable} from '#lib/platform/sanitize.js'

/** Why no answer came, in words: what happened, where, and what to do now. */

/** What an error of a request or of its answer's body means. */
export function networkFailure(error: unknown, url: string, signal?: AbortSignal): unknown {
  if (signal?.aborted) return signal.reason
  const {cause} = error as Error
  // got wraps what went wrong.
  if (cause instanceof Error) return networkFailure(cause, url)
  if (error instanceof ProxyError || error instanceof NetworkError) return error
  const {code = '', message} = error as NodeJS.ErrnoException
  // got's own errors hold the whole request, with its token.
  const bare = coded(message, code)
  return new NetworkError(networkSentence(code, new URL(url).host, message), url, {cause: bare})
}

export function coded(message: string, code: string): Error {
  return Object.assign(new Error(message), {code})
}

/** Codes of errors and what they mean, behind the name of the host; the first row that fits counts. */
const SENTENCES: ReadonlyArray<readonly [codes: RegExp, sentence: string]> = [
  [/^ECONNREFUSED$/, 'refused the connection. Check the address, and that the service runs.'],
  [/^ENOTFOUND$/, 'is not a known host. Check the address, and your network.'],
  [/^EAI_AGAIN$/, 'could not be looked up. Check your network, then try again.'],
  [/^ETIMEDOUT$/, 'did not answer in time. Check your network, then try again.'],
  // Of our own: another attempt would take as long.
  [/^ERR_TOO_SLOW$/, 'takes too long to send its answer. Try again later.'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED)$/, 'broke off the connection. Try again.'],
  [/^(EHOSTUNREACH|ENETUNREACH|ENETDOWN)$/, 'cannot be reached. Check your network.'],
  [/^EADDRNOTAVAIL$/, 'cannot be reached from this machine. Check the address.'],
  [/^EACCES$/, 'may not be reached: this system forbids the connection.'],
  [
    /^CERT_HAS_EXPIRED$/,
    'has a certificate that has expired. Check the clock of this machine, and tell whoever runs the service.',
  ],
  [
    /^CERT_NOT_YET_VALID$/,
    'has a certificate that is not valid yet. Check the clock of this machine, and tell whoever runs the service.',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'has a certificate for another host. Check the address; do not send your token there.',
  ],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_UNTRUSTED)$/,
    'has a certificate that this machine does not trust. If it is your own, set NODE_EXTRA_CA_CERTS to the file of its authority.',
  ],
  [/^Z_/, 'sent an answer whose compression is broken. Try again.'],
  [/^HPE_/, 'answered with something that is not HTTP. Check the address.'],
  [
    /^(EPROTO$|ERR_SSL|ERR_TLS)/,
    'does not speak https here. Check the address: the port, or http:// for a service on this machine.',
  ],
]

/** One sentence or two for an error code of Node; `host` is named first. */
function networkSentence(code: string, host: string, message: string): string {
  const sentence =
    SENTENCES.find(([codes]) => codes.test(code))?.[1] ??
    `could not be reached (${printable(code || message, 200)}). Check the address and your network.`
  return `${printable(host, 100)} ${sentence}`
}

/**
 * Why a proxy did not let a request through. `cause` is the status it answered with, or the code of what
 * went wrong on the way to it; `hasWorked` says that it has let requests of this command through before.
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
