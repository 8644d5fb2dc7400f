import {NetworkError, ProxyError} from '#lib/client/errors.js'
import {type Proxy, shownProxy} from '#lib/config/address.js'
import {printable} from '#lib/platform/sanitize.js'

/** Messages for requests without a response: what happened, where, and what to do. */

/** The error for a failed request or response body. */
export function networkFailure(error: unknown, url: string, signal?: AbortSignal): unknown {
  if (signal?.aborted) return signal.reason
  const {cause} = error as Error
  // got wraps the original error.
  if (cause instanceof Error) return networkFailure(cause, url)
  if (error instanceof ProxyError || error instanceof NetworkError) return error
  const {code = '', message} = error as NodeJS.ErrnoException
  // got's errors contain the whole request with its token.
  const bare = coded(message, code)
  return new NetworkError(networkSentence(code, new URL(url).host, message), url, {cause: bare})
}

export function coded(message: string, code: string): Error {
  return Object.assign(new Error(message), {code})
}

/** Messages for error codes, to follow the host name; the first match counts. */
const SENTENCES: ReadonlyArray<readonly [codes: RegExp, sentence: string]> = [
  [/^ECONNREFUSED$/, 'refused the connection. Check the URL, and that the service is running.'],
  [/^ENOTFOUND$/, 'is an unknown host. Check the host name and your network.'],
  [/^EAI_AGAIN$/, 'could not be resolved (DNS failure). Check your network, then try again.'],
  [/^ETIMEDOUT$/, 'did not respond in time. Check your network, then try again.'],
  // drv's own code. It is not retried, because another attempt would take as long.
  [/^ERR_TOO_SLOW$/, 'sends its response too slowly. Try again later.'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED)$/, 'closed the connection unexpectedly. Try again.'],
  [/^(EHOSTUNREACH|ENETUNREACH|ENETDOWN)$/, 'is unreachable. Check your network.'],
  [/^EADDRNOTAVAIL$/, 'is unreachable from this machine. Check the URL.'],
  [/^EACCES$/, 'could not be reached: this system does not permit the connection.'],
  [
    /^CERT_HAS_EXPIRED$/,
    'has an expired certificate. Check the clock of this machine, or report this to the operator of the service.',
  ],
  [
    /^CERT_NOT_YET_VALID$/,
    'has a certificate that is not valid yet. Check the clock of this machine, or report this to the operator of the service.',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'has a certificate for a different host. Check the URL, and do not send your token there.',
  ],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_UNTRUSTED)$/,
    'has a certificate that this machine does not trust. If the certificate is your own, set NODE_EXTRA_CA_CERTS to the file of its certificate authority.',
  ],
  [/^Z_/, 'sent a response that cannot be decompressed. Try again.'],
  [/^HPE_/, 'did not respond with HTTP. Check the URL.'],
  [
    /^(EPROTO$|ERR_SSL|ERR_TLS)/,
    'does not support https at this port. Check the port, or use http:// for a service on this machine.',
  ],
]

/** The message for an error code of Node; it starts with the host name. */
function networkSentence(code: string, host: string, message: string): string {
  const sentence =
    SENTENCES.find(([codes]) => codes.test(code))?.[1] ??
    `is unreachable (${printable(code || message, 200)}). Check the URL and your network.`
  return `${printable(host, 100)} ${sentence}`
}

/**
 * The error for a request that a proxy did not forward. `cause` is the proxy's status, or the error code of
 * the connection to it; `hasWorked` says whether it has forwarded requests of this command before.
 */
export function proxyError(proxy: Proxy, cause: number | string, hasWorked = false): ProxyError {
  const name = `The proxy ${shownProxy(proxy)}`
  const {variable} = proxy
  const mayPass = hasWorked || (typeof cause === 'number' && cause >= 500)
  return new ProxyError(`${name} ${wordsFor(cause)}.`, hintFor(cause, variable), mayPass)
}

function wordsFor(cause: number | string): string {
  if (cause === 407) return 'requires a user name and password, or rejected them (407)'
  if (cause === 403) return 'does not allow connections to this service (403)'
  if (typeof cause === 'number') return `responded with status ${cause}`
  return PROXY_WORDS[cause] ?? 'is unreachable'
}

const PROXY_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'closed the connection unexpectedly',
  ENOTFOUND: 'is an unknown host',
  EAI_AGAIN: 'could not be resolved (DNS failure)',
  ETIMEDOUT: 'did not respond in time',
}

function hintFor(cause: number | string, variable: string): string {
  if (cause === 407) {
    return `Set them in ${variable}, as in http://USER:PASSWORD@proxy.example.com:3128 (write % as %25 and @ as %40).`
  }
  const exception = 'or add the host of the service to NO_PROXY to connect directly'
  return `The proxy is set in ${variable}. Correct it, ${exception}.`
}
