import type {ClientRequest, IncomingMessage} from 'node:http'
import {pipeline, type Readable} from 'node:stream'
import {createBrotliDecompress, createGunzip} from 'node:zlib'
import type {Request} from 'got'
import {type Proxy, shownAddress, shownProxy} from '#lib/config/address.js'
import {type Agents, createAgents} from './agents.js'
import {coded, networkFailure, proxyError} from './network-failure.js'
import {type Patience, watchSilence} from './silence.js'
import type {Wait, Waits} from './waits.js'

/**
 * Sends single HTTP requests with got; all requests pass here. Follows no redirects, retries nothing,
 * buffers no content and interprets no status.
 */

export interface HttpRequest {
  readonly method: string
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer | Readable
  /** Milliseconds for each of: connecting, draining the body, and the first byte of the response. */
  readonly timeout: number
  /** Whether the response may be compressed; its bytes then arrive decompressed. */
  readonly decompress: boolean
  readonly signal?: AbortSignal
}

export interface HttpResponse {
  readonly status: number
  /** Names in lower case; headers that came more than once are joined with commas. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Must be read to its end or destroyed; `networkFailure` translates its errors. */
  readonly body: Readable
  /** Whether there is no body; headers may still describe one. */
  readonly isEmpty?: boolean
  /** The wait for the whole response; a reader of chunks renews it. */
  readonly wait?: Wait
}

/** Observers of requests. */
export interface Witness {
  readonly waits?: Waits
  /** Called with a line for each request when it ends; the line never contains a token. */
  readonly log?: (line: string) => void
  /** Milliseconds since any fixed time. */
  readonly now?: () => number
}

export type Send = (request: HttpRequest) => Promise<HttpResponse>

/**
 * Sends requests over keep-alive connections, which do not keep the process alive. Throws `NetworkError`,
 * `ProxyError`, the reason of the request's signal, or the error of the request's own body.
 */
export function createTransport(
  agents: Agents = createAgents({}),
  {waits, log, now = Date.now}: Witness = {},
): Send {
  return async request => {
    const {method, headers, body, decompress, signal} = request
    const url = new URL(request.url)
    const [{got}, {agent, proxy}] = await Promise.all([import('got'), agents.agentFor(url)])
    signal?.throwIfAborted()
    const started = now()
    const say = (what: string) => {
      const through = proxy ? `, through the proxy ${shownProxy(proxy)}` : ''
      log?.(`${method} ${shownAddress(url)} ${what} (${now() - started} ms${through})`)
    }
    const stream = got.stream(url, {
      // got's type lists fewer methods than Node accepts.
      method: method as 'GET',
      headers: {
        'user-agent': undefined,
        ...(decompress && {'accept-encoding': PACKINGS}),
        ...headers,
        ...lengthOf(method, headers, body),
      },
      agent: {http: agent, https: agent},
      decompress: false,
      followRedirect: false,
      throwHttpErrors: false,
      retry: {limit: 0},
    })
    try {
      const response = await exchange(stream, request, {proxy, waits})
      say(String(response.status))
      return response
    } catch (error) {
      say('no response')
      throw error
    }
  }
}

/** Sends the body, and resolves as soon as the response begins, even before all was sent. */
function exchange(
  stream: Request,
  {method, url, body, timeout, decompress, signal}: HttpRequest,
  {proxy, waits}: {readonly proxy?: Proxy; readonly waits?: Waits},
): Promise<HttpResponse> {
  const content = typeof body === 'object' && !Buffer.isBuffer(body) ? body : undefined
  return new Promise((resolve, reject) => {
    let patience: Patience | undefined
    let answered = false
    // Until there is a socket, only the proxy can be silent.
    let atProxy = proxy
    const wait = waits?.begin(() => {
      if (atProxy) return `the proxy ${shownProxy(atProxy)} (set in ${atProxy.variable})`
      return `${answered ? 'the rest of the response from ' : ''}${new URL(url).host}`
    })
    const end = () => {
      patience?.end()
      content?.destroy()
    }
    const fail = (error: unknown) => {
      end()
      wait?.end()
      stream.destroy()
      reject(error)
    }
    const abort = () => stream.destroy(signal?.reason as Error)
    signal?.addEventListener('abort', abort, {once: true})
    // A stream that was read to its end does not emit `close`.
    for (const event of ['end', 'close']) {
      stream.once(event, () => {
        signal?.removeEventListener('abort', abort)
        wait?.end()
      })
    }
    // Never removed: errors after the response began reach the reader of the body.
    stream.on('error', error => fail(networkFailure(error, url, signal)))
    // drv never asks for a protocol upgrade, and got would not report the end of such a response.
    stream.once('upgrade', (_: unknown, socket: {destroy(): void}) => {
      socket.destroy()
      fail(networkFailure(coded('Another protocol', 'HPE_INVALID_STATUS'), url))
    })
    // Write to the request itself: got would fail a complete response because of an error while
    // sending the rest of the body.
    stream.once('request', (call: ClientRequest) => {
      call.once('socket', () => (atProxy = undefined))
      patience = watchSilence(call, timeout, () => {
        // Destroy the stream: a request without a socket would not end otherwise.
        stream.destroy(
          atProxy ? proxyError(atProxy, 'ETIMEDOUT') : coded('No response', 'ETIMEDOUT'),
        )
      })
      if (body !== undefined) {
        const isOver = () => answered || call.destroyed
        pump(content ?? [body as string | Buffer], call, {patience, wait}, isOver).catch(
          (error: unknown) => {
            // Destroy the request, so that the service does not take the body for complete.
            if (!answered) fail(signal?.aborted ? signal.reason : error)
          },
        )
      } else if (method !== 'GET' && method !== 'HEAD') call.end()
      stream.once('response', () => {
        if (call.writableFinished) return
        // The service has responded before reading the whole body, which is no error.
        call.removeAllListeners('error').on('error', () => undefined)
        stream.once('end', () => call.destroy())
      })
    })
    stream.once('response', ({statusCode = 0, headers}: IncomingMessage) => {
      answered = true
      if (content) wait?.renew()
      end()
      // The only header that is a list; drv keeps no cookies.
      const {'set-cookie': _, ...texts} = headers as Record<string, string | undefined>
      const isEmpty = hasNoBody(method, statusCode)
      const answer = {status: statusCode, headers: texts, body: stream, isEmpty, wait}
      resolve(decompress && !isEmpty ? unpacked(answer) : answer)
    })
  })
}

/** Bytes that must be sent within one timeout: few enough for slow connections. */
const PIECE = 128 * 1024

/** Writes the body as fast as the connection accepts it. Throws the body's own errors. */
async function pump(
  content: AsyncIterable<string | Buffer> | Iterable<string | Buffer>,
  call: ClientRequest,
  {patience, wait}: {readonly patience: Patience; readonly wait?: Wait},
  isOver: () => boolean,
): Promise<void> {
  wait?.pause()
  for await (const text of content) {
    const chunk = Buffer.isBuffer(text) ? text : Buffer.from(text)
    for (let at = 0; at < chunk.length; at += PIECE) {
      if (isOver()) return
      if (call.write(chunk.subarray(at, at + PIECE))) continue
      patience.begin('drain')
      wait?.renew()
      await new Promise<void>(resolve => {
        const settle = () => {
          call.off('drain', settle).off('close', settle).off('response', settle)
          resolve()
        }
        call.on('drain', settle).on('close', settle).on('response', settle)
      })
      patience.done('drain')
      if (!isOver()) wait?.pause()
    }
  }
  if (isOver()) return
  // The rest of the buffer must be sent in time too.
  patience.begin('drain')
  wait?.renew()
  call.end()
}

/** The Content-Length header of a request with a method that allows a body. */
function lengthOf(
  method: string,
  headers: HttpRequest['headers'],
  body: HttpRequest['body'],
): Record<string, string> {
  if (headers['content-length'] !== undefined) return {}
  if (body === undefined)
    return method === 'GET' || method === 'HEAD' ? {} : {'content-length': '0'}
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    return {'content-length': String(Buffer.byteLength(body))}
  }
  return {}
}

/** Encodings that responses may have. */
const PACKINGS = 'gzip, br'

/** Chunk size for decompression: got's 16 KiB makes a long list take 2.5 times as long. */
const CHUNK = {chunkSize: 256 * 1024}

/** Whether a response never has a body, whatever its headers say (RFC 9110, section 6.4.1). */
function hasNoBody(method: string, status: number): boolean {
  return method === 'HEAD' || [204, 205, 304].includes(status)
}

/** A decompressed response, without the headers that describe the compression. */
function unpacked(answer: HttpResponse): HttpResponse {
  const {headers, body} = answer
  const {'content-encoding': packing, 'content-length': length, ...others} = headers
  // An empty body is not compressed, whatever the headers say.
  if (length === '0') return answer
  const unpack = unpackerFor(packing?.trim().toLowerCase())
  // The pipeline passes errors on to the reader.
  return unpack
    ? {...answer, headers: others, body: pipeline(body, unpack, () => undefined)}
    : answer
}

function unpackerFor(packing: string | undefined) {
  if (packing === 'gzip' || packing === 'x-gzip') return createGunzip(CHUNK)
  return packing === 'br' ? createBrotliDecompress(CHUNK) : undefined
}
