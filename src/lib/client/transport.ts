import type {Readable} from 'node:stream'
import {NetworkError} from './errors.js'
import {networkSentence} from './network.js'

/**
 * One request and its answer over HTTP: the only file that knows how requests travel. It follows
 * no redirect, repeats nothing, holds no content in memory and judges no status.
 */

interface HttpRequest {
  readonly method: string
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Readable
  /** Milliseconds for each of: finding the host, connecting, the first byte of the answer. */
  readonly timeout: number
  /** The answer may come compressed; its bytes then arrive unpacked. */
  readonly decompress: boolean
  readonly signal?: AbortSignal
}

export interface HttpResponse {
  readonly status: number
  /** Names in lower case; headers that came more than once are joined with commas. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Must be read to its end or destroyed. Fails with `NetworkError` when it breaks off. */
  readonly body: Readable
}

export type Send = (request: HttpRequest) => Promise<HttpResponse>

/** Sends a request. Fails with `NetworkError`, the reason of `signal`, or the error of its own body stream. */
export async function send(request: HttpRequest): Promise<HttpResponse> {
  const {default: got} = await import('got')
  const {method, url, headers, timeout, signal} = request
  signal?.throwIfAborted()
  // Without a body got waits for one to be written, unless the method cannot have any.
  const body = request.body ?? (method === 'GET' ? undefined : '')
  let bodyFailure: unknown
  if (typeof body === 'object') {
    // Only while sending: got destroys what it has not read once the answer is there.
    body.once('error', (error: unknown) => (bodyFailure ??= error))
  }
  const stream = got.stream(url, {
    method: method as 'GET',
    headers: {...headers},
    body,
    decompress: request.decompress,
    retry: {limit: 0},
    followRedirect: false,
    throwHttpErrors: false,
    timeout: {lookup: timeout, connect: timeout, secureConnect: timeout, response: timeout},
    signal,
  })
  return new Promise((resolve, reject) => {
    // This listener stays: what goes wrong later reaches whoever reads the body as well.
    stream.on('error', error => {
      if (typeof body === 'object') body.destroy()
      reject(failure(error, url, signal, bodyFailure))
    })
    stream.once(
      'response',
      (response: {statusCode: number; headers: NodeJS.Dict<string | string[]>}) => {
        resolve({
          status: response.statusCode,
          headers: Object.fromEntries(
            Object.entries(response.headers).map(([name, value]) => [
              name,
              [value].flat().join(', '),
            ]),
          ),
          body: stream,
        })
      },
    )
  })
}

/** What an error of a request or of its answer's body means. */
export function failure(
  error: unknown,
  url: string,
  signal?: AbortSignal,
  bodyFailure?: unknown,
): unknown {
  if (signal?.aborted) return signal.reason
  if (bodyFailure !== undefined) return bodyFailure
  const {code = '', message} = error as NodeJS.ErrnoException
  // What got made up itself says less than the message.
  const cause = code.startsWith('ERR_GOT') ? '' : code
  return new NetworkError(networkSentence(cause, new URL(url).host, message), url, {cause: error})
}
