import {isAscii} from 'node:buffer'
import {NetworkError} from '#lib/client/errors.js'
import {limitText, tooLarge} from '#lib/client/limits.js'
import {coded, networkFailure} from './network-failure.js'
import {isTooSlow} from './silence.js'
import type {HttpResponse} from './transport.js'

/** Reads responses: small ones as text, content as a stream. */

export interface BodyReading {
  readonly url: string
  /** Milliseconds without a byte, while the reader waits for one, before `NetworkError`. */
  readonly idle: number
  readonly signal?: AbortSignal
}

/**
 * The bytes of a response. Throws `NetworkError` if the body ends before its announced size or stops arriving. A
 * slow reader causes no timeout.
 */
export function contentChunks(
  response: HttpResponse,
  reading: BodyReading,
): AsyncGenerator<Buffer> {
  return bytesOf(response, reading, response.wait)
}

/** `wait` is renewed for each chunk. */
async function* bytesOf(
  response: HttpResponse,
  {url, idle, signal}: BodyReading,
  wait?: HttpResponse['wait'],
): AsyncGenerator<Buffer> {
  const {body} = response
  const size = announcedSize(response)
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let received = 0
  let waiting = false
  let stalled: NetworkError | undefined
  const timer = setTimeout(() => {
    if (!waiting) return
    stalled = new NetworkError(
      `${new URL(url).host} stopped sending data. Check your network, then try again.`,
      url,
    )
    body.destroy(stalled)
  }, idle)
  try {
    for (;;) {
      waiting = true
      timer.refresh()
      wait?.renew()
      const {done, value} = await chunks.next()
      waiting = false
      wait?.pause()
      if (done) break
      received += value.length
      yield value
    }
  } catch (error) {
    throw stalled ?? networkFailure(error, url, signal)
  } finally {
    clearTimeout(timer)
    body.destroy()
  }
  if (size === undefined || received === size) return
  throw new NetworkError(
    `${new URL(url).host} closed the connection after ${received.toLocaleString('en')} of ${size.toLocaleString('en')} bytes. Try again.`,
    url,
  )
}

/** Cancels a response whose body is not needed. */
export function discardBody({body}: Pick<HttpResponse, 'body'>): void {
  body.destroy()
}

/** The announced size of a response body in bytes; `undefined` without one or if it was decompressed. */
export function announcedSize({headers, isEmpty}: HttpResponse): number | undefined {
  const length = headers['content-length']
  if (isEmpty || headers['content-encoding'] || length === undefined) return undefined
  return /^\d+$/.test(length) ? Number(length) : undefined
}

/** A small body as text. Throws `ProtocolError` beyond `limit` bytes, and `NetworkError` if it takes too long; `remedy` is the hint for the former. */
export async function readBodyText(
  response: HttpResponse,
  reading: BodyReading,
  limit: number,
  remedy = '',
): Promise<string> {
  const {url, idle} = reading
  const chunks: Buffer[] = []
  let size = 0
  let before = 0
  let periods = 0
  const began = performance.now()
  for await (const chunk of bytesOf(response, reading)) {
    // No extra timer: `bytesOf` fails after a period without data.
    const passed = Math.floor((performance.now() - began) / idle)
    if (passed > periods) {
      if (isTooSlow(passed, idle, size - before)) {
        throw networkFailure(coded('Too slow', 'ERR_TOO_SLOW'), url)
      }
      periods = passed
      before = size
    }
    size += chunk.length
    if (size > limit) throw tooLarge(url, `larger than ${limitText(limit)}`, remedy)
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  // Most responses are ASCII, which latin1 decodes six times as fast.
  if (isAscii(bytes)) return bytes.toString('latin1')
  // TextDecoder drops a byte order mark, which JSON does not allow.
  return new TextDecoder().decode(bytes)
}
