import {connect as connectOpen, isIP, type OnReadOpts, type Socket} from 'node:net'
import {Duplex, Readable} from 'node:stream'
import {connect as connectSecure} from 'node:tls'
import {urlToHttpOptions} from 'node:url'
import {type Head, keptFor, mayBeHead, mayFollow, parseHead} from './head.js'
import {failure, type HttpRequest, type HttpResponse} from './transport.js'

/** One connection to a service, which carries one request after the other. */

/** A request whose body, where it has one, is at hand. */
export interface PlainRequest extends HttpRequest {
  readonly body?: string | Buffer
}

export interface Connection {
  /** Whether the next request may be sent. */
  isFree(): boolean
  close(): void
  /**
   * Sends a request, whose head is given as text. Gives its answer, whole; or, where that is not a
   * plain one, a connection on which it comes from its first byte on, and which swallows what is
   * written to it. Fails with `NetworkError` or the reason of the request's signal.
   */
  exchange(head: string, request: PlainRequest): Promise<HttpResponse | Duplex>
}

/** The most that is read at once. */
const MEMORY = 64 * 1024
/** Node's client refuses heads that are longer. */
const LONGEST_HEAD = 16 * 1024
/** Milliseconds that a connection is given up before the service would do so. */
const MARGIN = 1000

/** Who gets what comes. */
interface Taker {
  /** Takes bytes that stay what they are until it returns, and says whether more are wanted now. */
  take(bytes: Buffer): boolean
  /** Nothing more comes; without an error, because the service ended the connection. */
  end(error?: Error): void
}

/** `now` in milliseconds. */
export function openConnection(origin: URL, now: () => number): Connection {
  const memory = Buffer.allocUnsafeSlow(MEMORY)
  /** When the service may end it. */
  let keptUntil = Infinity
  let taker: Taker | undefined
  let failed: Error | undefined

  const socket = socketTo(origin, {
    buffer: memory,
    callback(size) {
      if (taker) return taker.take(memory.subarray(0, size))
      // Nobody has asked for anything.
      socket.destroy()
      return false
    },
  })
  socket.on('timeout', () => {
    socket.destroy(Object.assign(new Error('No sign of life'), {code: 'ETIMEDOUT'}))
  })
  socket.on('error', error => {
    failed = error
  })
  socket.on('close', () => taker?.end(failed))

  /** Nothing of it is sent before it is certain whom it goes to. */
  function write(head: string, body: PlainRequest['body']): void {
    socket.cork()
    socket.write(head, 'latin1')
    if (body !== undefined) socket.write(body)
    socket.uncork()
  }

  /** Keeps the connection for the next request, if there may be one. */
  function keep(head: Head): void {
    keptUntil = now() + (keptFor(head) ?? Infinity) - MARGIN
    const isKept = mayFollow(head) && socket.writableLength === 0 && now() < keptUntil
    if (isKept) socket.unref()
    else socket.destroy()
  }

  /** All that comes from now on, behind what has come. */
  function handOver(bytes: Buffer, signal?: AbortSignal): Duplex {
    // Whoever reads may take their time.
    socket.setTimeout(0)
    const rest = new Duplex({
      signal,
      read: () => void socket.resume(),
      write: (_bytes, _encoding, done) => done(),
      // Whoever reads has all of the answer.
      final(done) {
        socket.destroy()
        done()
      },
      destroy(error, done) {
        socket.destroy()
        done(error)
      },
    })
    // It may break before somebody reads.
    rest.on('error', () => undefined)
    rest.push(bytes)
    taker = {
      take: more => rest.push(Buffer.from(more)),
      end: error => void (error ? rest.destroy(error) : rest.push(null)),
    }
    return rest
  }

  return {
    isFree: () => !socket.destroyed && socket.writable && taker === undefined && now() < keptUntil,
    close: () => void socket.destroy(),

    exchange(text, {url, body, timeout, signal}) {
      return new Promise((resolve, reject) => {
        const abort = () => socket.destroy()
        const settle = () => {
          taker = undefined
          signal?.removeEventListener('abort', abort)
        }
        signal?.addEventListener('abort', abort, {once: true})
        taker = answerTaker({
          onWhole(head, content, isExact) {
            settle()
            if (isExact) keep(head)
            else socket.destroy()
            resolve(wholeResponse(head, content))
          },
          onOdd(bytes) {
            settle()
            resolve(handOver(bytes, signal))
          },
          onBroken(head, content, error) {
            settle()
            if (head && !signal?.aborted) resolve(brokenResponse(head, content, error))
            else reject(failure(error, url, signal))
          },
        })
        socket.ref()
        if (socket.timeout !== timeout) socket.setTimeout(timeout)
        write(text, body)
      })
    },
  }
}

function socketTo(origin: URL, onread: OnReadOpts): Socket {
  const isSecure = origin.protocol === 'https:'
  const {hostname} = urlToHttpOptions(origin)
  const host = hostname ?? ''
  const port = Number(origin.port || (isSecure ? 443 : 80))
  const options = {host, port, noDelay: true, onread}
  if (!isSecure) return connectOpen(options)
  const servername = isIP(host) === 0 ? host : undefined
  return connectSecure({...options, servername, ALPNProtocols: ['http/1.1']})
}

interface Outcome {
  /** `isExact`: nothing came behind it. */
  onWhole(head: Head, content: Buffer, isExact: boolean): void
  /** The answer is not a plain one; `bytes` have come of it. */
  onOdd(bytes: Buffer): void
  /** The connection broke off, perhaps before the head had come. */
  onBroken(head: Head | undefined, content: Buffer, error: Error): void
}

/** Gathers one answer. */
function answerTaker({onWhole, onOdd, onBroken}: Outcome): Taker {
  let begun = Buffer.alloc(0)
  let head: Head | undefined
  let content = begun
  let size = 0

  function add(bytes: Buffer, to: Head): void {
    bytes.copy(content, size)
    size += bytes.length
    if (size >= to.size) onWhole(to, content, size === to.size)
  }

  return {
    take(bytes) {
      if (head) {
        add(bytes, head)
        return true
      }
      const all = begun.length === 0 ? bytes : Buffer.concat([begun, bytes])
      const end = all.indexOf('\r\n\r\n')
      const text = all.toString('latin1', 0, end < 0 ? all.length : end)
      if (end < 0 && all.length <= LONGEST_HEAD && mayBeHead(text)) {
        begun = Buffer.from(all)
        return true
      }
      head = end < 0 ? undefined : parseHead(text)
      if (!head) {
        onOdd(Buffer.from(all))
        return true
      }
      content = Buffer.allocUnsafe(head.size)
      add(all.subarray(end + 4), head)
      return true
    },
    end: (error = Object.assign(new Error('Closed'), {code: 'ECONNRESET'})) =>
      onBroken(head, content.subarray(0, size), error),
  }
}

function wholeResponse({status, headers}: Head, whole: Buffer): HttpResponse {
  return {
    status,
    headers,
    whole,
    get body() {
      return Readable.from([whole], {objectMode: false})
    },
  }
}

/** What has come counts: whoever wants the rest can ask for it. */
function brokenResponse({status, headers}: Head, content: Buffer, error: Error): HttpResponse {
  async function* body() {
    yield content
    throw error
  }
  const broken = Readable.from(body(), {objectMode: false})
  // Whoever reads hears of it; who only lets it run out need not.
  return {status, headers, body: broken.on('error', () => undefined)}
}
