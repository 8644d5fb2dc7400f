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
  incomingUrl,
  type ServiceRequest,
  type ServiceResponse,
  weightedList,
} from '#lib/service/http/message.js'
import {failureResponse, isHangUp} from '#lib/service/http/respond.js'
import type {RequestHandler} from './request-handler.js'
import {continueWhenRead, DRAIN_LIMITS, drainBody, type DrainLimits, isUnread} from './unread.js'

/** A listening server. */
export interface Server {
  /** Its base URL, without a trailing slash. */
  readonly url: string
  /** Accepts no more requests, finishes running ones, and closes all connections. */
  close(): Promise<void>
}

interface ServerOptions {
  /** A loopback address. */
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  readonly log: (error: unknown) => void
  readonly connections?: Partial<DrainLimits>
}

/** The `Host` headers of requests from this machine. */
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i

/**
 * Time in ms that an idle connection stays open. It is long because clients do not retry a POST on a
 * connection that was closed.
 */
const KEEP_ALIVE = 600_000
/** Time in ms that `close` waits for running requests. */
const GRACE = 5_000

/** Serves `app` over HTTP. Rejects if it cannot listen. */
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
        // Closing the connection while the client still sends would discard the response.
        reply.flushHeaders()
        await drainBody(message, limits, closing.signal)
      }
      await ended(reply, left)
    } catch (error) {
      // The client disconnected, or the response body failed. Nothing can be sent any more.
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
      const timer = setTimeout(() => server.closeAllConnections(), GRACE)
      while (pending.size > 0) await Promise.allSettled(pending)
      clearTimeout(timer)
      // A request that has arrived on a new connection is read in this turn of the event loop.
      await nextTurn()
      server.closeIdleConnections()
      // Clients open spare connections. Node does not count one as idle before its first request.
      for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
      const lastTimer = setTimeout(() => server.closeAllConnections(), GRACE)
      await closed
      clearTimeout(lastTimer)
    },
  }
}

/**
 * Returns the request, or an error response for a malformed one. Refuses a `Host` header other than
 * this machine, because a web page can make its own host name resolve to 127.0.0.1 (DNS rebinding).
 */
function readRequest(message: IncomingMessage): ServiceRequest | ServiceResponse {
  const host = message.headers.host
  const address = message.url ?? ''
  const refused = (error: unknown) => failureResponse(error, () => undefined)
  if (host === undefined || !LOOPBACK.test(host)) {
    return refused(
      forbidden(
        'forbidden',
        'This service accepts requests to 127.0.0.1 and localhost only.',
        atHeader('Host'),
      ),
    )
  }
  const origin = `http://${host}`
  if (!address.startsWith('/') || !parseUrl(origin + address)) {
    return refused(badRequest('The URL of the request is malformed.'))
  }
  const {method = 'GET'} = message
  const headers = message.headers as ServiceRequest['headers']
  // HEAD is GET without the body (RFC 9110, section 9.3.2) and ignores ranges (section 14.2).
  const isHead = method === 'HEAD'
  return {
    method: isHead ? 'GET' : method,
    url: incomingUrl(origin, address),
    headers: isHead ? {...headers, range: undefined} : headers,
    body: message,
    remoteAddress: message.socket.remoteAddress ?? '',
    socket: message.socket,
  }
}

/**
 * Returns a signal that aborts when a connection closes. The response object does not always emit
 * `close`: with pipelined requests, it has no connection until the response before it is finished.
 */
function closeOf(socket: Socket): AbortSignal {
  const closed = new AbortController()
  setMaxListeners(0, closed.signal)
  // If the client has already disconnected, a reset emits an error without a close event.
  for (const end of ['close', 'error']) socket.once(end, () => closed.abort())
  return closed.signal
}

/** Sends a response without ending it, because that may close the connection. `left` aborts when the client disconnects. */
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
    // Node does not send the body of a response to HEAD; destroying it avoids reading it at all.
    const isHead = reply.req.method === 'HEAD'
    if (isHead) body.destroy()
    reply.writeHead(status, all)
    try {
      return await pipeline(isHead ? Readable.from([]) : body, reply, {end: false, signal: left})
    } finally {
      // After a disconnect, the source of the body may still use the store until it closes.
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

/** Minimum size in bytes for compression; less fits into one packet anyway. */
const MIN_COMPRESSED = 1400

/**
 * Compresses JSON responses with gzip if the client accepts it (RFC 9110, section 12.5.3). File
 * content is never compressed, because clients rely on its length and ranges.
 */
export async function compressed(
  response: ServiceResponse,
  acceptEncoding: string | undefined,
): Promise<ServiceResponse> {
  const {body, headers = {}} = response
  const isJson = String(headers['Content-Type']).startsWith('application/json')
  // File content is bytes or a stream, even if its type is JSON.
  if (!isJson || typeof body !== 'string') return response
  const varied = {...headers, Vary: 'Accept-Encoding'}
  const bytes = Buffer.from(body)
  if (bytes.length < MIN_COMPRESSED || !acceptsGzip(acceptEncoding)) {
    return {...response, headers: varied}
  }
  return {
    ...response,
    headers: {...varied, 'Content-Encoding': 'gzip'},
    // Higher levels save little and take longer.
    body: await pack(bytes, {level: 1}),
  }
}

/** Whether an `Accept-Encoding` header accepts gzip; a weight of 0 forbids it. */
export function acceptsGzip(acceptEncoding?: string): boolean {
  const weights = new Map(weightedList(acceptEncoding))
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0
}
