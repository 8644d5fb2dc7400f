import {isAscii} from 'node:buffer'
import {NetworkError} from '#lib/client/errors.js'
import {tooLarge} from '#lib/client/limits.js'
import {coded, networkFailure} from './network-failure.js'
import {isTooSlow} from './silence.js'
import type {HttpResponse} from './transport.js'

/** Reading what a service sends: whole when it is small, as a stream when it is content. */

export interface Reading {
  readonly url: string
  /** Milliseconds that may pass without a byte, while somebody waits for one. */
  readonly idle: number
  readonly signal?: AbortSignal
}

/**
 * The bytes of content; a body that ends before its announced size, or stops arriving, fails with `NetworkError`.
 * A slow reader is no reason to give up.
 */
export function contentChunks(response: HttpResponse, reading: Reading): AsyncGenerator<Buffer> {
  return bytesOf(response, reading, response.wait)
}

/** `wait` is what every piece is a sign of life to. */
async function* bytesOf(
  response: HttpResponse,
  {url, idle, signal}: Reading,
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
      `${new URL(url).host} stopped sending. Check your network, then try again.`,
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
    `${new URL(url).host} broke off the connection after ${received} of ${size} bytes. Try again.`,
    url,
  )
}

/** Ends an answer whose body nobody wants. */
export function discardBody({body}: Pick<HttpResponse, 'body'>): void {
  body.destroy()
}

/** The size of the body that an answer announces; `undefined` when it does not, or was unpacked on the way. */
export function announcedSize({headers, isEmpty}: HttpResponse): number | undefined {
  const length = headers['content-length']
  if (isEmpty || headers['content-encoding'] || length === undefined) return undefined
  return /^\d+$/.test(length) ? Number(length) : undefined
}

/** A small body as text; throws `ProtocolError` beyond `limit` bytes, and `NetworkError` where it takes too long. */
export async function readText(
  response: HttpResponse,
  reading: Reading,
  limit: number,
): Promise<string> {
  const {url, idle} = reading
  const chunks: Buffer[] = []
  let size = 0
  let before = 0
  let periods = 0
  const began = performance.now()
  for await (const chunk of bytesOf(response, reading)) {
    // No timer of its own: without a piece in a period nothing comes any more.
    const passed = Math.floor((performance.now() - began) / idle)
    if (passed > periods) {
      if (isTooSlow(passed, idle, size - before)) {
        throw networkFailure(coded('Too slow', 'ERR_TOO_SLOW'), url)
      }
      periods = passed
      before = size
    }
    size += chunk.length
    if (size > limit) throw tooLarge(url, `${limit} bytes`)
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  // Most answers are ASCII, which is read six times as fast.
  if (isAscii(bytes)) return bytes.toString('latin1')
  // The decoder drops a byte order mark, which JSON does not know.
  return new TextDecoder().decode(bytes)
}
