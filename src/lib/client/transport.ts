import type {ClientRequest, IncomingHttpHeaders} from 'node:http'
import type {Readable} from 'node:stream'
import type {Request} from 'got'
import {type Agents, createAgents} from './agents.js'
import {NetworkError, ProxyError} from './errors.js'
import {networkSentence} from './network.js'
import type {Proxy} from '../config/proxy.js'
import {proxyError} from './proxies.js'
import {PACKINGS, unpacked} from './unpack.js'

/**
 * One request and its answer: the one way to the wire, over got. It follows no redirect, repeats
 * nothing, holds no content in memory and judges no status.
 */

export interface HttpRequest {
  readonly method: string
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer | Readable
  /**
   * Milliseconds for each of: reaching the host, the connection taking more of the body, the first
   * byte of the answer once the request is out.
   */
  readonly timeout: number
  /** The answer may come compressed; its bytes then arrive unpacked. */
  readonly decompress: boolean
  readonly signal?: AbortSignal
}

export interface HttpResponse {
  readonly status: number
  /** Names in lower case; headers that came more than once are joined with commas. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /**
   * Must be read to its end or destroyed. Its errors are told in words by whoever reads it, with
   * `failure`.
   */
  readonly body: Readable
}

export type Send = (request: HttpRequest) => Promise<HttpResponse>

/**
 * Sends requests over connections that are kept from one to the next; they do not keep the process
 * alive. What it gives fails with `NetworkError`, `ProxyError`, the reason of the request's signal,
 * or the error of the request's own body.
 */
export function createTransport(agents: Agents = createAgents({})): Send {
  return async request => {
    const {method, headers, body, decompress, signal} = request
    const url = new URL(request.url)
    const [{got}, {agent, proxy}] = await Promise.all([import('got'), agents.agentFor(url)])
    signal?.throwIfAborted()
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
    return exchange(stream, request, proxy)
  }
}

/** Sends the body, and resolves as soon as the answer begins, even before all was sent. */
function exchange(
  stream: Request,
  {method, url, body, timeout, decompress, signal}: HttpRequest,
  proxy: Proxy | undefined,
): Promise<HttpResponse> {
  const content = typeof body === 'object' && !Buffer.isBuffer(body) ? body : undefined
  return new Promise((resolve, reject) => {
    let patience: Patience | undefined
    let answered = false
    const end = () => {
      patience?.end()
      content?.destroy()
    }
    const fail = (error: unknown) => {
      end()
      stream.destroy()
      reject(error)
    }
    const abort = () => stream.destroy(signal?.reason as Error)
    signal?.addEventListener('abort', abort, {once: true})
    stream.once('close', () => signal?.removeEventListener('abort', abort))
    // This listener stays: what goes wrong after the answer began reaches whoever reads it.
    stream.on('error', error => fail(failure(error, url, signal)))
    // Nobody asked for another protocol, and nobody would hear of the end of such an answer.
    stream.once('upgrade', (_: unknown, socket: {destroy(): void}) => {
      socket.destroy()
      fail(failure(coded('Another protocol', 'HPE_INVALID_STATUS'), url))
    })
    // What is sent goes to the request itself: got would fail a whole answer with what goes wrong
    // with the sending behind it.
    stream.once('request', (call: ClientRequest) => {
      patience = watch(call, timeout, hasSocket => {
        // Before there is a socket only the proxy can be what is silent. The stream is ended, since
        // a request without a socket would not be until it has one.
        const isProxy = proxy !== undefined && !hasSocket
        stream.destroy(
          isProxy ? proxyError(proxy, 'ETIMEDOUT') : coded('No sign of life', 'ETIMEDOUT'),
        )
      })
      if (content) {
        pump(content, call, patience, () => answered || call.destroyed).catch((error: unknown) => {
          // Destroyed, so that what was sent does not look whole to the service.
          if (!answered) fail(signal?.aborted ? signal.reason : error)
        })
      } else if (method !== 'GET' && method !== 'HEAD') call.end(body)
      stream.once('response', () => {
        if (call.writableFinished) return
        // The service has said what it has to say; that it takes no more is no failure.
        call.removeAllListeners('error').on('error', () => undefined)
        stream.once('end', () => call.destroy())
      })
    })
    stream.once('response', ({statusCode = 0, headers}: ResponseHead) => {
      answered = true
      end()
      const answer = {status: statusCode, headers: joined(headers), body: stream}
      resolve(decompress ? unpacked(answer) : answer)
    })
  })
}

interface ResponseHead {
  readonly statusCode?: number
  readonly headers: IncomingHttpHeaders
}

function joined(headers: IncomingHttpHeaders): Record<string, string | undefined> {
  const {'set-cookie': cookies, ...others} = headers
  // Only this one comes as a list.
  const texts = others as Record<string, string | undefined>
  return cookies ? {...texts, 'set-cookie': cookies.join(', ')} : texts
}

/** Writes a stream into a request as fast as the connection takes it. Fails with the stream's error. */
async function pump(
  content: Readable,
  call: ClientRequest,
  patience: Patience,
  isOver: () => boolean,
): Promise<void> {
  for await (const chunk of content as AsyncIterable<Uint8Array>) {
    if (isOver()) return
    if (call.write(chunk)) continue
    patience.begin('room')
    await new Promise<void>(resolve => {
      const settle = () => {
        call.off('drain', settle).off('close', settle).off('response', settle)
        resolve()
      }
      call.on('drain', settle).on('close', settle).on('response', settle)
    })
    patience.done('room')
  }
  if (!isOver()) call.end()
}

/** What a request waits for from the other side. */
type Wait = 'connection' | 'room' | 'answer'

interface Patience {
  begin(wait: Wait): void
  done(wait: Wait): void
  end(): void
}

/**
 * Tells `onSilence` when the other side of a request gives no sign of life for so many milliseconds,
 * and whether there is a connection yet. Time that passes while our own source is slow does not
 * count, as it would with got's timeouts.
 */
function watch(
  call: ClientRequest,
  timeout: number,
  onSilence: (hasSocket: boolean) => void,
): Patience {
  const waits = new Set<Wait>(['connection'])
  let hasSocket = false
  const timer = setTimeout(() => {
    if (waits.size > 0) onSilence(hasSocket)
  }, timeout)
  const begin = (wait: Wait) => {
    waits.add(wait)
    timer.refresh()
  }
  const done = (wait: Wait) => waits.delete(wait)
  call.once('socket', socket => {
    hasSocket = true
    const reached = call.protocol === 'https:' ? 'secureConnect' : 'connect'
    if (socket.connecting) socket.once(reached, () => done('connection'))
    else done('connection')
  })
  call.once('finish', () => begin('answer'))
  return {begin, done, end: () => clearTimeout(timer)}
}

/** A request that could have a body says how long it is. */
function lengthOf(
  method: string,
  headers: HttpRequest['headers'],
  body: HttpRequest['body'],
): Record<string, string> {
  if (headers['content-length'] !== undefined) return {}
  if (body === undefined) return method === 'GET' ? {} : {'content-length': '0'}
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    return {'content-length': String(Buffer.byteLength(body))}
  }
  return {}
}

/** What an error of a request or of its answer's body means. */
export function failure(error: unknown, url: string, signal?: AbortSignal): unknown {
  if (signal?.aborted) return signal.reason
  const {cause} = error as Error
  // got wraps what went wrong.
  if (cause instanceof Error) return failure(cause, url)
  if (error instanceof ProxyError || error instanceof NetworkError) return error
  const {code = '', message} = error as NodeJS.ErrnoException
  // got's own errors hold the whole request, with its token.
  const bare = coded(message, code)
  return new NetworkError(networkSentence(code, new URL(url).host, message), url, {cause: bare})
}

function coded(message: string, code: string): Error {
  return Object.assign(new Error(message), {code})
}
