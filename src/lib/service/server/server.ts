import {once, setMaxListeners} from 'node:events'
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http'
import type {AddressInfo, Socket} from 'node:net'
import {Readable} from 'node:stream'
import {pipeline} from 'node:stream/promises'
import {setImmediate as nextTurn} from 'node:timers/promises'
import {promisify} from 'node:util'
import {gzip} from 'node:zlib'
import {parseUrl} from '#lib/platform/values.js'
import {atHeader, badRequest, forbidden} from '#lib/service/errors.js'
import {
  requestUrl,
  type ServiceRequest,
  type ServiceResponse,
  weightedList,
} from '#lib/service/http/message.js'
import {failureResponse, isHangUp} from '#lib/service/http/respond.js'
import type {RequestHandler} from './request-handler.js'
import {continueWhenRead, drain, DRAIN_LIMITS, type DrainLimits, isUnread} from './unread.js'

/** A listening server. */
export interface Server {
  /** Its address, without a slash at the end. */
  readonly url: string
  /** Takes no more requests, ends the answers that are under way, and closes all connections. */
  close(): Promise<void>
}

interface ServerOptions {
  /** A loopback address. */
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  readonly log: (error: unknown) => void
  readonly connections?: Partial<DrainLimits>
}

/** The names under which a machine reaches itself. */
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i

/**
 * How long a connection may stay open between two requests, in ms. Long, because clients that find
 * theirs closed do not send a POST again.
 */
const KEEP_ALIVE = 600_000
/** How long `close` waits for answers that are under way, in ms. */
const GRACE = 5_000

/** Serves `app` over HTTP. Rejects when it cannot listen. */
export async function startServer(app: RequestHandler, options: ServerOptions): Promise<Server> {
  const {host, port, log} = options
  const limits = {...DRAIN_LIMITS, ...options.connections}
  const pending = new Set<Promise<void>>()
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)

  const server = createServer({keepAliveTimeout: KEEP_ALIVE, requestTimeout: 0}, begin)
  const gone = new WeakMap<Socket, AbortSignal>()
  const connections = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    const end = closeOf(socket)
    gone.set(socket, end)
    connections.add(socket)
    end.addEventListener('abort', () => connections.delete(socket))
  })
  server.on('checkContinue', (message: IncomingMessage, reply: ServerResponse) => {
    continueWhenRead(message, reply)
    begin(message, reply)
  })

  function begin(message: IncomingMessage, reply: ServerResponse): void {
    const work = exchange(message, reply)
    pending.add(work)
    void work.finally(() => pending.delete(work))
  }

  async function exchange(message: IncomingMessage, reply: ServerResponse): Promise<void> {
    reply.on('error', () => undefined)
    const left = gone.get(message.socket)!
    try {
      const request = readRequest(message)
      const response = 'status' in request ? request : await app(request)
      const unread = await isUnread(message)
      if (unread || closing.signal.aborted) reply.setHeader('Connection', 'close')
      const packed = await compressed(response, message.headers['accept-encoding'])
      await sendResponse(reply, packed, left)
      if (unread) {
        // To close a connection over which bytes still come would take the answer from their sender.
        reply.flushHeaders()
        await drain(message, limits, closing.signal)
      }
      await ended(reply, left)
    } catch (error) {
      // The reader went away, or the bytes broke off: all that is left is to end the connection.
      if (!isHangUp(error)) log(error)
      reply.destroy()
    }
  }

  await once(server.listen(port, host), 'listening')
  const {address, family, port: actual} = server.address() as AddressInfo
  const name = family === 'IPv6' ? `[${address}]` : address

  return {
    url: `http://${name}:${actual}`,
    async close() {
      closing.abort()
      const closed = new Promise(resolve => server.close(resolve))
      server.closeIdleConnections()
      const impatience = setTimeout(() => server.closeAllConnections(), GRACE)
      while (pending.size > 0) await Promise.allSettled(pending)
      clearTimeout(impatience)
      // A request that has arrived on a new connection is read in this turn of the event loop.
      await nextTurn()
      server.closeIdleConnections()
      // Clients open connections ahead. Node does not count one without a request as idle.
      for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
      const rest = setTimeout(() => server.closeAllConnections(), GRACE)
      await closed
      clearTimeout(rest)
    },
  }
}

/**
 * Reads what a request says of itself. One that names a host that is not this machine is refused:
 * a web page can make its own name point here, and would be let in as that name (DNS rebinding).
 */
function readRequest(message: IncomingMessage): ServiceRequest | ServiceResponse {
  const host = message.headers.host
  const address = message.url ?? ''
  const refused = (error: unknown) => failureResponse(error, () => undefined)
  if (host === undefined || !LOOPBACK.test(host)) {
    return refused(
      forbidden(
        'forbidden',
        'This service answers to 127.0.0.1 and localhost only.',
        atHeader('Host'),
      ),
    )
  }
  const origin = `http://${host}`
  if (!address.startsWith('/') || !parseUrl(origin + address)) {
    return refused(badRequest('The address of the request is malformed.'))
  }
  const {method = 'GET'} = message
  const headers = message.headers as ServiceRequest['headers']
  // HEAD is GET without the body (RFC 9110, section 9.3.2), and knows no ranges (section 14.2).
  const isHead = method === 'HEAD'
  return {
    method: isHead ? 'GET' : method,
    url: requestUrl(origin, address),
    headers: isHead ? {...headers, range: undefined} : headers,
    body: message,
    remoteAddress: message.socket.remoteAddress ?? '',
    socket: message.socket,
  }
}

/**
 * Aborts when a connection closes. A reply does not always hear of it: one whose request came before
 * the reply to the one ahead of it was through has no connection yet, and never gets one.
 */
function closeOf(socket: Socket): AbortSignal {
  const closed = new AbortController()
  setMaxListeners(0, closed.signal)
  // Where a reset fails, since the other side has gone already, no close follows the error.
  for (const end of ['close', 'error']) socket.once(end, () => closed.abort())
  return closed.signal
}

/** Sends an answer, but does not end it: that may end the connection. `left` aborts when its reader has gone. */
async function sendResponse(
  reply: ServerResponse,
  response: ServiceResponse,
  left: AbortSignal,
): Promise<void> {
  const {status, headers, body = ''} = response
  if (reply.destroyed || left.aborted) {
    if (body instanceof Readable) body.destroy()
    return
  }
  const all = {'X-Content-Type-Options': 'nosniff', ...headers} as Record<string, string | string[]>
  if (body instanceof Readable) {
    // Node keeps the body of an answer to HEAD back; this saves it from being read, too.
    const isHead = reply.req.method === 'HEAD'
    if (isHead) body.destroy()
    reply.writeHead(status, all)
    try {
      return await pipeline(isHead ? Readable.from([]) : body, reply, {end: false, signal: left})
    } finally {
      // Where the reader has gone, what is being made of it still needs the store.
      if (!body.closed) await once(body, 'close')
    }
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  if (status !== 204 && status !== 304) all['Content-Length'] = String(bytes.length)
  reply.writeHead(status, all)
  if (bytes.length > 0) reply.write(bytes)
}

async function ended(reply: ServerResponse, left: AbortSignal): Promise<void> {
  if (reply.destroyed || left.aborted) return
  await new Promise<void>(resolve => {
    const done = () => {
      left.removeEventListener('abort', done)
      resolve()
    }
    left.addEventListener('abort', done)
    reply.end(done)
  })
}

const pack = promisify(gzip)

/** Bytes below which a packet or two carry it anyway. */
const WORTH = 1400

/**
 * The answer, if it is a record, packed for whoever takes it so (RFC 9110, section 12.5.3). Content never
 * is: its length and its ranges count.
 */
export async function compressed(
  response: ServiceResponse,
  acceptEncoding: string | undefined,
): Promise<ServiceResponse> {
  const {body, headers = {}} = response
  const isJson = String(headers['Content-Type']).startsWith('application/json')
  // Content is bytes or a stream, also where it is JSON.
  if (!isJson || typeof body !== 'string') return response
  const varied = {...headers, Vary: 'Accept-Encoding'}
  const bytes = Buffer.from(body)
  if (bytes.length < WORTH || !takesGzip(acceptEncoding)) return {...response, headers: varied}
  return {
    ...response,
    headers: {...varied, 'Content-Encoding': 'gzip'},
    // Of what a harder look would still find, nobody notices anything.
    body: await pack(bytes, {level: 1}),
  }
}

/** Whether a header lets an answer come as gzip; a weight of 0 forbids it. */
export function takesGzip(acceptEncoding?: string): boolean {
  const weights = new Map(weightedList(acceptEncoding))
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0
}
