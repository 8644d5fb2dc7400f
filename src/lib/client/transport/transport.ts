import type {ClientRequest, IncomingMessage} from 'node:http'
import {pipeline, type Readable} from 'node:stream'
import {createBrotliDecompress, createGunzip} from 'node:zlib'
import type {Request} from 'got'
import {type Proxy, shownAddress, shownProxy} from '#lib/config/address.js'
import {type Agents, createAgents} from './agents.js'
import {coded, networkFailure, proxyError} from './network-failure.js'
import {type Patience, watch} from './silence.js'
import type {Wait, Waits} from './waits.js'

/**
 * One request and its answer live here: the one way to the wire, over got. It follows no redirect,
 * repeats nothing, holds no content in memory and judges no status: that belongs to the room above.
 */

export interface HttpRequest {
  readonly method: string
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer | Readable
  /** Milliseconds each for connecting, for the connection taking more of the body, and for the first byte of the response. */
  readonly timeout: number
  /** The answer may come compressed; its bytes then arrive unpacked. */
  readonly decompress: boolean
  readonly signal?: AbortSignal
}

export interface HttpResponse {
  readonly status: number
  /** Names in lower case; headers that came more than once are joined with commas. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Must be read to its end or destroyed; `networkFailure` puts its errors into words. */
  readonly body: Readable
  /** Nothing but headers comes; they may tell of the body of another answer. */
  readonly isEmpty?: boolean
  /** The wait for all of it; whoever takes it piece by piece says of each that it came. */
  readonly wait?: Wait
}

/** What hears of the requests that are sent. */
export interface Witness {
  readonly waits?: Waits
  /** Takes a line for each request, once it is answered or has failed; never holds a token. */
  readonly log?: (line: string) => void
  /** Milliseconds since any time. */
  readonly now?: () => number
}

export type Send = (request: HttpRequest) => Promise<HttpResponse>

/**
 * Sends requests over connections that are kept; they do not keep the process alive. Fails with `NetworkError`,
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
      // got takes no other name of a method; Node does.
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
      say('no answer')
      throw error
    }
  }
}

/** Sends the body, and resolves as soon as the answer begins, even before all was sent. */
function exchange(
  stream: Request,
  {method, url, body, timeout, decompress, signal}: HttpRequest,
  {proxy, waits}: {readonly proxy?: Proxy; readonly waits?: Waits},
): Promise<HttpResponse> {
  const content = typeof body === 'object' && !Buffer.isBuffer(body) ? body : undefined
  return new Promise((resolve, reject) => {
    let patience: Patience | undefined
    let answered = false
    // Before there is a socket only the proxy can be what is silent.
    let atProxy = proxy
    const wait = waits?.begin(() => {
      if (atProxy) return `the proxy ${shownProxy(atProxy)}, which ${atProxy.variable} names`
      return `${answered ? 'the rest of the answer' : 'an answer'} of ${new URL(url).host}`
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
    // One that was read to its end is not closed by itself.
    for (const event of ['end', 'close']) {
      stream.once(event, () => {
        signal?.removeEventListener('abort', abort)
        wait?.end()
      })
    }
    // This listener stays: what goes wrong after the answer began reaches whoever reads it.
    stream.on('error', error => fail(networkFailure(error, url, signal)))
    // Nobody asked for another protocol, and nobody would hear of the end of such an answer.
    stream.once('upgrade', (_: unknown, socket: {destroy(): void}) => {
      socket.destroy()
      fail(networkFailure(coded('Another protocol', 'HPE_INVALID_STATUS'), url))
    })
    // What is sent goes to the request itself: got would fail a whole answer with what goes wrong
    // with the sending behind it.
    stream.once('request', (call: ClientRequest) => {
      call.once('socket', () => (atProxy = undefined))
      patience = watch(call, timeout, () => {
        // The stream is ended, since a request without a socket would not be until it has one.
        stream.destroy(
          atProxy ? proxyError(atProxy, 'ETIMEDOUT') : coded('No sign of life', 'ETIMEDOUT'),
        )
      })
      if (body !== undefined) {
        const isOver = () => answered || call.destroyed
        pump(content ?? [body as string | Buffer], call, {patience, wait}, isOver).catch(
          (error: unknown) => {
            // Destroyed, so that what was sent does not look whole to the service.
            if (!answered) fail(signal?.aborted ? signal.reason : error)
          },
        )
      } else if (method !== 'GET' && method !== 'HEAD') call.end()
      stream.once('response', () => {
        if (call.writableFinished) return
        // The service has said what it has to say; that it takes no more is no failure.
        call.removeAllListeners('error').on('error', () => undefined)
        stream.once('end', () => call.destroy())
      })
    })
    stream.once('response', ({statusCode = 0, headers}: IncomingMessage) => {
      answered = true
      if (content) wait?.renew()
      end()
      // The only one that comes as a list, and nobody keeps cookies.
      const {'set-cookie': _, ...texts} = headers as Record<string, string | undefined>
      const isEmpty = hasNoBody(method, statusCode)
      const answer = {status: statusCode, headers: texts, body: stream, isEmpty, wait}
      resolve(decompress && !isEmpty ? unpacked(answer) : answer)
    })
  })
}

/** Bytes that a connection has to take before patience is over: so few that a slow line does. */
const PIECE = 128 * 1024

/** Writes into a request as fast as the connection takes it. Fails with the error of the content. */
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
  // What is still on its way has to be taken as well.
  patience.begin('drain')
  wait?.renew()
  call.end()
}

/** A request that could have a body says how long it is. */
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

/** What answers may come packed as. */
const PACKINGS = 'gzip, br'

/** Bytes that are unpacked at once: got's 16 KiB would make a long list two and a half times as dear. */
const CHUNK = {chunkSize: 256 * 1024}

/** Whether nothing but headers comes, which may tell of another answer's body (RFC 9110, section 6.4.1). */
function hasNoBody(method: string, status: number): boolean {
  return method === 'HEAD' || [204, 205, 304].includes(status)
}

/** An answer as it was before it was packed, without the headers that tell of that. */
function unpacked(answer: HttpResponse): HttpResponse {
  const {headers, body} = answer
  const {'content-encoding': packing, 'content-length': length, ...others} = headers
  // Where nothing comes, nothing was packed, whatever the headers say.
  if (length === '0') return answer
  const unpack = unpackerFor(packing?.trim().toLowerCase())
  // Errors and the end go from one to the other; whoever reads hears of them.
  return unpack
    ? {...answer, headers: others, body: pipeline(body, unpack, () => undefined)}
    : answer
}

function unpackerFor(packing: string | undefined) {
  if (packing === 'gzip' || packing === 'x-gzip') return createGunzip(CHUNK)
  return packing === 'br' ? createBrotliDecompress(CHUNK) : undefined
}
