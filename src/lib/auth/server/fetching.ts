import type * as Library from 'oauth4webapi'
import {NetworkError, ProtocolError} from '#lib/client/errors.js'
import {redirectWords, statusMeaning} from '#lib/client/responses.js'
import {discardBody, readBodyText} from '#lib/client/transport/incoming.js'
import {LONGEST_GAP} from '#lib/client/transport/silence.js'
import {createTransport, type Send} from '#lib/client/transport/transport.js'
import {parseUrl} from '#lib/platform/values.js'

/** Sends requests to authorization services through the transport, with its limits, proxies and certificates. */

/** Maximum size of a response in bytes. */
const LIMIT = 64 * 1024

const REDIRECT = {carried: 'your credentials', remedy: 'set DRV_AUTH_URL to its URL'}

/** A response as the service sent it. */
export interface RawAnswer {
  readonly status: number
  readonly contentType?: string
  readonly body: string
  /** Secrets of the request, which are removed from displayed responses. */
  readonly secrets?: readonly string[]
  /** A redirect to a valid address, only with `returnsRedirects`. */
  readonly redirect?: {readonly from: URL; readonly to: URL}
}

export interface ExchangeRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Sends one request; returns error responses too. Throws `NetworkError`, and `ProtocolError` for a redirect or a response over the limit. */
export type Exchange = (request: ExchangeRequest) => Promise<RawAnswer>

export function createExchange(options: {
  readonly userAgent?: string
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly send?: Send
  /** Milliseconds without data before a request fails; a slow response may take twice as long. */
  readonly timeout?: number
  /** Maximum size of a response in bytes. */
  readonly limit?: number
  /** Time limit for the whole exchange, in milliseconds. */
  readonly total?: number
  /** Whether redirects are returned instead of thrown; they are never followed. */
  readonly returnsRedirects?: boolean
}): Exchange {
  const {userAgent = 'drv', headers: more, send = createTransport()} = options
  const {timeout = LONGEST_GAP, limit = LIMIT, total, returnsRedirects = false} = options
  return async ({method, url, headers, body}) => {
    const late = total === undefined ? undefined : AbortSignal.timeout(total)
    const signals = [options.signal, late].filter(signal => signal !== undefined)
    const signal = signals.length > 0 ? AbortSignal.any(signals) : undefined
    try {
      const response = await send({
        method,
        url,
        headers: {...headers, 'user-agent': userAgent, ...more},
        body,
        timeout,
        decompress: true,
        signal,
      })
      const {status} = response
      if (['redirect', 'strange'].includes(statusMeaning(status))) {
        discardBody(response)
        const to = parseUrl(response.headers.location ?? '', url)
        if (returnsRedirects) {
          return {status, body: '', ...(to && {redirect: {from: new URL(url), to}})}
        }
        const words =
          redirectWords(status, response.headers, url, REDIRECT) ??
          `returned the unexpected status ${status}.`
        throw new ProtocolError(`The authorization service ${words}`)
      }
      const text = await readBodyText(response, {url, idle: timeout, signal}, limit)
      return {status, contentType: response.headers['content-type'], body: text}
    } catch (error) {
      if (!late?.aborted || options.signal?.aborted) throw error
      throw new NetworkError(`${new URL(url).host} took longer than ${total! / 1000} s.`, url)
    }
  }
}

/**
 * Options that make oauth4webapi send its requests through `exchange` and return the responses unread. drv itself checks
 * the addresses beforehand: http is allowed only for this machine.
 */
export function libraryOptions(
  oauth: Pick<typeof Library, 'customFetch' | 'allowInsecureRequests'>,
  exchange: Exchange,
) {
  const fetch = (
    url: string,
    {method, headers, body}: {method: string; headers: Record<string, string>; body?: unknown},
  ) => {
    const text = body instanceof URLSearchParams ? body.toString() : undefined
    return exchange({method, url, headers, body: text}) as unknown as Promise<Response>
  }
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  return {[oauth.customFetch]: fetch, [oauth.allowInsecureRequests]: true} as const
}
