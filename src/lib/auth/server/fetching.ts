import type * as Library from 'oauth4webapi'
import {NetworkError, ProtocolError} from '#lib/client/errors.js'
import {meaningOf, redirectWords} from '#lib/client/responses.js'
import {discardBody, readText} from '#lib/client/transport/incoming.js'
import {LONGEST_GAP} from '#lib/client/transport/silence.js'
import {createTransport, type Send} from '#lib/client/transport/transport.js'

/** Requests to authorization services, over the one way to the wire: with its limits, proxies and certificates. */

/** More than any answer of an authorization service has, in bytes. */
const LIMIT = 64 * 1024

const REDIRECT = {carried: 'your sign-in data', remedy: 'set DRV_AUTH_URL to it'}

/** An answer as the service sent it. */
export interface RawAnswer {
  readonly status: number
  readonly contentType?: string
  readonly body: string
  /** Secrets that went with the request, which no word of the answer may bring back. */
  readonly secrets?: readonly string[]
}

export interface ExchangeRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Sends one request; refusals are answers. Fails with `NetworkError`, and `ProtocolError` for a redirect. */
export type Exchange = (request: ExchangeRequest) => Promise<RawAnswer>

export function createExchange(options: {
  readonly userAgent?: string
  /** Headers that every request is sent with. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly send?: Send
  /** Milliseconds without a sign of life before a request fails; a slow answer may take twice as long. */
  readonly timeout?: number
  /** Bytes that an answer may have. */
  readonly limit?: number
  /** Milliseconds that all of it may take. */
  readonly total?: number
}): Exchange {
  const {userAgent = 'drv', headers: more, send = createTransport()} = options
  const {timeout = LONGEST_GAP, limit = LIMIT, total} = options
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
      if (['redirect', 'strange'].includes(meaningOf(status))) {
        discardBody(response)
        const words =
          redirectWords(status, response.headers, url, REDIRECT) ??
          `answered with status ${status}, which means nothing here.`
        throw new ProtocolError(`The authorization service ${words}`)
      }
      const text = await readText(response, {url, idle: timeout, signal}, limit)
      return {status, contentType: response.headers['content-type'], body: text}
    } catch (error) {
      if (!late?.aborted || options.signal?.aborted) throw error
      throw new NetworkError(`${new URL(url).host} took longer than ${total! / 1000} s.`, url)
    }
  }
}

/**
 * What oauth4webapi is told with every request: to send it by `exchange`. It hands the answer on as it is to whoever called
 * it: nothing there reads it. Which addresses are safe is decided before: http is for this machine alone.
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
