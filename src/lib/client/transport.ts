import type {ClientRequest, IncomingHttpHeaders, IncomingMessage} from 'node:http'
import type {Duplex, Readable} from 'node:stream'
import {createDirectConnection, type Room} from './direct.js'
import {NetworkError} from './errors.js'
import {networkSentence} from './network.js'

/**
 * One request and its answer by Node's client of HTTP. It follows no redirect, repeats nothing,
 * holds no content in memory and judges no status; neither does any other `Send`.
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
  /** Much content is expected, which is worth a connection of its own. */
  readonly isLarge?: boolean
  /** What to send it over, instead of a connection that is kept. */
  readonly connection?: Duplex
  readonly signal?: AbortSignal
}

export interface HttpResponse {
  readonly status: number
  /** Names in lower case; headers that came more than once are joined with commas. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** All of the body, where it has come with the head. */
  readonly whole?: Buffer
  /**
   * The same as a stream, which must be read to its end or destroyed. Fails with `NetworkError` when
   * it breaks off.
   */
  readonly body: Readable
  /**
   * The body, `size` bytes of it, in pieces of the memory that `room` gives, instead of `body`;
   * `undefined` where that cannot be. Only for a large one.
   */
  readonly bodyInto?: (size: number, room: Room) => Readable | undefined
}

export type Send = (request: HttpRequest) => Promise<HttpResponse>

/** How content may be packed that need not come as it is. */
const ENCODINGS = 'gzip, deflate, br'

/** Keeps connections open from request to request; they do not keep the process alive. */
export function createTransport(): Send {
  const ways = new Map<string, ReturnType<typeof wayOf>>()
  const wayFor = (protocol: string) => {
    const known = ways.get(protocol) ?? wayOf(protocol)
    ways.set(protocol, known)
    return known
  }

  /** Fails with `NetworkError`, the reason of `signal`, or the error of its own body stream. */
  return async request => {
    const {method, headers, body, decompress, isLarge, connection, signal} = request
    const url = new URL(request.url)
    const {open, agent, Agent} = await wayFor(url.protocol)
    signal?.throwIfAborted()
    if (connection?.errored) throw failure(connection.errored, request.url)
    const direct = isLarge ? createDirectConnection() : undefined
    const call = open(url, {
      method,
      ...(connection
        ? {createConnection: () => connection}
        : {agent: direct ? new Agent({onread: direct.onread}) : agent}),
      headers: {
        ...(decompress && {'accept-encoding': ENCODINGS}),
        ...headers,
        ...lengthOf(method, headers, body),
      },
    })
    const response = await exchange(call, request)
    const encoding = response.headers['content-encoding']
    return {
      status: response.statusCode ?? 0,
      headers: joined(response.headers),
      body: decompress && encoding ? await unpacked(response, encoding) : response,
      bodyInto: direct && ((size, room) => direct.read(response, size, room)),
    }
  }
}

function joined(headers: IncomingHttpHeaders): Record<string, string | undefined> {
  const {'set-cookie': cookies, ...others} = headers
  // Only this one comes as a list.
  const texts = others as Record<string, string | undefined>
  return cookies ? {...texts, 'set-cookie': cookies.join(', ')} : texts
}

/** How requests of a protocol are opened, and the connections that are kept for them. */
async function wayOf(protocol: string) {
  const {request: open, Agent} = await (protocol === 'https:'
    ? import('node:https')
    : import('node:http'))
  return {open, Agent, agent: new Agent({keepAlive: true, scheduling: 'lifo'})}
}

/** Sends the body, and resolves as soon as the answer begins, even before all was sent. */
function exchange(call: ClientRequest, request: HttpRequest): Promise<IncomingMessage> {
  const {url, body, timeout, signal} = request
  const patience = patienceOf(call, timeout)
  const content = typeof body === 'object' && !Buffer.isBuffer(body) ? body : undefined
  return new Promise((resolve, reject) => {
    let answered = false
    const end = () => {
      patience.end()
      content?.destroy()
    }
    const abort = () => call.destroy()
    signal?.addEventListener('abort', abort, {once: true})
    call.once('close', () => signal?.removeEventListener('abort', abort))
    // This listener stays: what goes wrong after the answer began reaches whoever reads it.
    call.on('error', error => {
      end()
      reject(failure(error, url, signal))
    })
    // Nobody asked for another protocol; without a listener nobody would hear of the end either.
    call.once('upgrade', (_, socket) => {
      socket.destroy()
      end()
      const error = Object.assign(new Error('Another protocol'), {code: 'HPE_INVALID_STATUS'})
      reject(failure(error, url, signal))
    })
    call.once('response', response => {
      answered = true
      // A connection that still waits for bytes, which never come, is of no further use.
      if (!call.writableFinished) response.once('close', () => call.destroy())
      end()
      resolve(response)
    })
    if (!content) {
      call.end(body)
      return
    }
    pump(content, call, patience, () => answered || call.destroyed).catch((error: unknown) => {
      if (answered) return
      end()
      // The request must not look whole to the service.
      call.destroy()
      reject((signal?.aborted ? signal.reason : error) as Error)
    })
  })
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

/** Destroys a request whose other side gives no sign of life for so many milliseconds. */
function patienceOf(call: ClientRequest, timeout: number): Patience {
  const waits = new Set<Wait>(['connection'])
  const timer = setTimeout(() => {
    if (waits.size === 0) return
    call.destroy(Object.assign(new Error('No sign of life'), {code: 'ETIMEDOUT'}))
  }, timeout)
  const begin = (wait: Wait) => {
    waits.add(wait)
    timer.refresh()
  }
  const done = (wait: Wait) => waits.delete(wait)
  call.once('socket', socket => {
    const reached = call.protocol === 'https:' ? 'secureConnect' : 'connect'
    if (socket.connecting) socket.once(reached, () => done('connection'))
    else done('connection')
  })
  call.once('finish', () => begin('answer'))
  return {begin, done, end: () => clearTimeout(timer)}
}

/** A request that could have a body says how long it is. */
export function lengthOf(
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

async function unpacked(response: IncomingMessage, encoding: string): Promise<Readable> {
  const {createBrotliDecompress, createUnzip} = await import('node:zlib')
  const {pipeline} = await import('node:stream')
  const name = encoding.trim().toLowerCase()
  if (!/^(x-)?gzip$|^deflate$|^br$/.test(name)) return response
  const unzip = name === 'br' ? createBrotliDecompress() : createUnzip()
  // Whoever reads hears of the error; here it needs no second hearing.
  return pipeline(response, unzip, () => undefined)
}

/** What an error of a request or of its answer's body means. */
export function failure(error: unknown, url: string, signal?: AbortSignal): unknown {
  if (signal?.aborted) return signal.reason
  const {code = '', message} = error as NodeJS.ErrnoException
  return new NetworkError(networkSentence(code, new URL(url).host, message), url, {cause: error})
}
