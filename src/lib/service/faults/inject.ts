import type {Socket} from 'node:net'
import {Readable} from 'node:stream'
import {buffer} from 'node:stream/consumers'
import {setImmediate, setTimeout} from 'node:timers/promises'
import {errorBody, failure} from '#lib/service/errors.js'
import {type ServiceRequest, type ServiceResponse} from '#lib/service/http/message.js'
import {jsonResponse} from '#lib/service/http/respond.js'
import {createRouter} from '#lib/service/http/router.js'
import type {RequestHandler} from '#lib/service/server/request-handler.js'
import {
  decideAll,
  type Fault,
  type FaultCall,
  type FaultPlan,
  type FaultStrike,
  firstStates,
} from './plan.js'
import {recognize} from './recognize.js'

export interface InjectOptions {
  /** Unix ms. */
  readonly clock: () => number
  /** Expires the token of a request, if it has one. */
  readonly onExpiry: (request: ServiceRequest) => void
  /** Called for every injected fault. */
  readonly onFault?: (strike: FaultStrike, call: FaultCall, request: ServiceRequest) => void
}

/** Wraps a request handler so that calls fail according to a plan. Only operations, batches and token refreshes can fail. */
export function withFaults(
  app: RequestHandler,
  plan: FaultPlan,
  {clock, onExpiry, onFault}: InjectOptions,
): RequestHandler {
  const route = createRouter()
  let states = firstStates(plan)

  return async received => {
    const {request, known} = await recognize(route, received)
    const {socket} = request
    if (!known || !socket) return app(request)
    const call = {...known, now: clock()}
    const decision = decideAll(plan.rules, states, call)
    states = decision.states
    if (!decision.strike) return app(request)
    onFault?.(decision.strike, call, received)
    if (decision.strike.kind === 'token-expire') {
      onExpiry(request)
      return app(request)
    }
    return applyFault(buffered(app), request, socket, decision.strike)
  }
}

/** Wraps a request handler so that it completes a response before it returns it. Batches run their calls while the response is read. */
function buffered(app: RequestHandler): RequestHandler {
  return async request => {
    const response = await app(request)
    const {body} = response
    const isOpen = body instanceof Readable && lengthOf(response) === Infinity
    return isOpen ? {...response, body: await buffer(body)} : response
  }
}

async function applyFault(
  app: RequestHandler,
  request: ServiceRequest,
  socket: Socket,
  fault: Exclude<FaultStrike, {kind: 'token-expire'}>,
): Promise<ServiceResponse> {
  switch (fault.kind) {
    case 'status':
      return refusal(fault)
    case 'rateLimit':
      return refusal({...fault, retryAfter: fault.wait, body: 'json'})
    case 'lose':
    case 'refresh-lost':
      await discard(app(request))
      await waitFor(fault.hold, socket)
      return reset(socket)
    case 'truncate':
      return cut(await app(request), fault.after)
    case 'slow': {
      const {bytesPerSecond, at} = fault
      if (at === 'request') {
        return app({...request, body: slowed(request.body, bytesPerSecond)})
      }
      const response = await app(request)
      if (lengthOf(response) === 0) return response
      return {...response, ...sized(response), body: slowed(bytesOf(response), bytesPerSecond)}
    }
    case 'reset': {
      if (fault.at === 'request') {
        if (!hasBody(request)) return reset(socket)
        const body = broken(request.body, fault.after, socket)
        await discard(app({...request, body}))
        // The handler may not have read the body, so the reset may not have happened yet.
        return reset(socket)
      }
      const response = await app(request)
      const length = lengthOf(response)
      if (length === 0) return reset(socket)
      const body = broken(bytesOf(response), Math.min(fault.after, length - 1), socket)
      return {...response, ...sized(response), body}
    }
  }
}

/** Resets the connection. The returned response is never sent. */
function reset(socket: Socket): ServiceResponse {
  socket.resetAndDestroy()
  return {status: 204}
}

/** Waits for a number of seconds, or until the client closes the connection. */
async function waitFor(seconds: number, socket: Socket): Promise<void> {
  if (seconds === 0 || socket.destroyed) return
  const closed = new AbortController()
  const onClose = () => closed.abort()
  socket.once('close', onClose)
  await setTimeout(seconds * 1000, undefined, {signal: closed.signal}).catch(() => undefined)
  socket.off('close', onClose)
}

async function discard(response: Promise<ServiceResponse>): Promise<void> {
  const {body} = await response
  if (body instanceof Readable) body.destroy()
}

function cut(response: ServiceResponse, count: number): ServiceResponse {
  const length = lengthOf(response)
  if (count >= length) return response
  const headers = {...response.headers, 'Content-Length': String(count)}
  return {...response, headers, body: firstBytes(bytesOf(response), count)}
}

function hasBody({headers}: ServiceRequest): boolean {
  return Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined
}

function bytesOf({body = ''}: ServiceResponse): Readable {
  if (body instanceof Readable) return body
  return Readable.from([Buffer.from(body)])
}

/** The headers with a Content-Length, because the length of a stream is otherwise unknown. */
function sized(response: ServiceResponse): Pick<ServiceResponse, 'headers'> {
  return {headers: {...response.headers, 'Content-Length': String(lengthOf(response))}}
}

function lengthOf({headers, body = ''}: ServiceResponse): number {
  if (body instanceof Readable) return Number(headers?.['Content-Length'] ?? Infinity)
  return Buffer.byteLength(body)
}

/** The reasons that the service gives with each status (reference: protocols.md, section 14). */
const REASONS: Readonly<Record<number, string>> = {
  401: 'authError',
  403: 'forbidden',
  404: 'notFound',
  409: 'conflict',
  410: 'gone',
  412: 'conditionNotMet',
  429: 'rateLimitExceeded',
  500: 'internalError',
}

/** Returns the error response of a `status` or `rateLimit` fault. */
function refusal(fault: Omit<Extract<Fault, {kind: 'status'}>, 'kind'>): ServiceResponse {
  const {status, retryAfter, body} = fault
  const wait = retryAfter === undefined ? undefined : {'Retry-After': String(retryAfter)}
  if (body === 'none') return {status, headers: {...wait}}
  if (body === 'html') {
    const headers = {'Content-Type': 'text/html; charset=UTF-8', ...wait}
    return {status, headers, body: `<!doctype html><title>${status}</title><h1>${status}</h1>\n`}
  }
  const reason = fault.reason ?? REASONS[status] ?? (status < 500 ? 'badRequest' : 'backendError')
  const error = failure(
    status,
    reason,
    `Simulated failure: ${status} ${reason} (injected by a fault rule).`,
  )
  return jsonResponse(status, errorBody(error), wait)
}

/** Number of chunks per second of a slowed body. */
const STEPS = 20

/** A stream of the first `count` bytes. */
function firstBytes(body: Readable, count: number): Readable {
  return readable(body, head(body, count))
}

/** A stream of the first `count` bytes, after which the connection is reset. */
function broken(body: Readable, count: number, socket: Socket): Readable {
  async function* pieces(): AsyncGenerator<Buffer> {
    yield* head(body, count)
    // Let the bytes so far be sent before the reset.
    await setImmediate()
    socket.resetAndDestroy()
    throw Object.assign(new Error('The connection was reset.'), {code: 'ECONNRESET'})
  }
  return readable(body, pieces())
}

/** A stream of all bytes at a limited speed. */
function slowed(body: Readable, bytesPerSecond: number): Readable {
  const step = Math.max(1, Math.floor(bytesPerSecond / STEPS))
  async function* pieces(): AsyncGenerator<Buffer> {
    for await (const chunk of chunksOf(body)) {
      for (let at = 0; at < chunk.length; at += step) {
        const piece = chunk.subarray(at, at + step)
        await setTimeout((piece.length / bytesPerSecond) * 1000)
        yield piece
      }
    }
  }
  return readable(body, pieces())
}

async function* head(body: Readable, count: number): AsyncGenerator<Buffer> {
  let left = count
  if (left === 0) return
  for await (const chunk of chunksOf(body)) {
    yield chunk.subarray(0, left)
    left -= Math.min(left, chunk.length)
    if (left === 0) return
  }
}

/** Iterates over a body without destroying it: destroying a request also closes the connection for the response. */
function chunksOf(body: Readable): AsyncIterable<Buffer> {
  return body.iterator({destroyOnReturn: false}) as AsyncIterable<Buffer>
}

/** Returns `pieces` of `body` as a stream. Destroying it does not wait for the next piece. */
function readable(body: Readable, pieces: AsyncGenerator<Buffer>): Readable {
  return new Readable({
    read() {
      pieces.next().then(
        ({done, value}) => this.push(done ? null : value),
        (error: Error) => this.destroy(error),
      )
    },
    destroy(error, done) {
      body.destroy()
      done(error)
    },
  })
}
