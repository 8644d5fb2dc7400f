import {createServer, type IncomingMessage, type ServerResponse} from 'node:http'
import type {AddressInfo} from 'node:net'
import {Readable} from 'node:stream'
import {pipeline} from 'node:stream/promises'
import {badRequest, forbidden} from '../errors.js'
import type {App} from './app.js'
import type {ServiceRequest, ServiceResponse} from './message.js'
import {failureResponse, isHangUp} from './respond.js'

/** A listening server. */
export interface Server {
  /** Its address, without a slash at the end. */
  readonly url: string
  /** Takes no more requests, ends the answers that are under way, and closes all connections. */
  close(): Promise<void>
}

export interface ServerOptions {
  /** A loopback address. */
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  readonly log: (error: unknown) => void
}

/** The names under which a machine reaches itself. */
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i

/** How long a connection may stay open between two requests, in ms. */
const KEEP_ALIVE = 60_000
/** How long `close` waits for answers that are under way, in ms. */
const GRACE = 5_000

/** Serves `app` over HTTP. Rejects when it cannot listen. */
export async function startServer(app: App, options: ServerOptions): Promise<Server> {
  const {host, port, log} = options
  const pending = new Set<Promise<void>>()
  let closing = false

  const server = createServer(
    {keepAliveTimeout: KEEP_ALIVE, requestTimeout: 0},
    (message, reply) => {
      const work = exchange(message, reply)
      pending.add(work)
      void work.finally(() => pending.delete(work))
    },
  )

  async function exchange(message: IncomingMessage, reply: ServerResponse): Promise<void> {
    if (closing) reply.setHeader('Connection', 'close')
    reply.on('error', () => undefined)
    try {
      const request = readRequest(message)
      await sendResponse(reply, 'status' in request ? request : await app(request))
    } catch (error) {
      // The reader went away, or the bytes broke off: all that is left is to end the connection.
      if (!isHangUp(error)) log(error)
      reply.destroy()
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const {address, family, port: actual} = server.address() as AddressInfo
  const name = family === 'IPv6' ? `[${address}]` : address

  return {
    url: `http://${name}:${actual}`,
    async close() {
      closing = true
      const closed = new Promise(resolve => server.close(resolve))
      server.closeIdleConnections()
      const impatience = setTimeout(() => server.closeAllConnections(), GRACE)
      while (pending.size > 0) await Promise.allSettled(pending)
      clearTimeout(impatience)
      server.closeIdleConnections()
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
      forbidden('forbidden', 'This service answers to 127.0.0.1 and localhost only.', {
        locationType: 'header',
        location: 'Host',
      }),
    )
  }
  const origin = `http://${host}`
  if (!address.startsWith('/') || !URL.canParse(origin + address)) {
    return refused(badRequest('The address of the request is malformed.'))
  }
  const {method = 'GET'} = message
  const headers = message.headers as ServiceRequest['headers']
  // HEAD is GET without the body (RFC 9110, section 9.3.2), and knows no ranges (section 14.2).
  const isHead = method === 'HEAD'
  return {
    method: isHead ? 'GET' : method,
    url: new URL(origin + address),
    headers: isHead ? {...headers, range: undefined} : headers,
    body: message,
    remoteAddress: message.socket.remoteAddress ?? '',
    socket: message.socket,
  }
}

async function sendResponse(reply: ServerResponse, response: ServiceResponse): Promise<void> {
  const {status, headers, body = ''} = response
  if (reply.destroyed || reply.closed) {
    if (body instanceof Readable) body.destroy()
    return
  }
  const all = {'X-Content-Type-Options': 'nosniff', ...headers} as Record<string, string | string[]>
  if (body instanceof Readable) {
    // Node keeps the body of an answer to HEAD back; this saves it from being read, too.
    const isHead = reply.req.method === 'HEAD'
    if (isHead) body.destroy()
    reply.writeHead(status, all)
    return pipeline(isHead ? Readable.from([]) : body, reply)
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  if (status !== 204 && status !== 304) all['Content-Length'] = String(bytes.length)
  await new Promise<void>(resolve => {
    reply.once('close', resolve)
    reply.writeHead(status, all).end(bytes, resolve)
  })
}
