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
  firstStates,
  type Strike,
} from './plan.js'
import {recognize} from './recognize.js'

export interface InjectOptions {
  /** Unix ms. */
  readonly clock: () => number
  /** Ends the life of the token that comes with a request, where it has one. */
  readonly onExpiry: (request: ServiceRequest) => void
  /** Hears of every fault that a call meets. */
  readonly onFault?: (strike: Strike, call: FaultCall) => void
}

/** An app whose calls meet the faults of a plan. What is no call for an operation, no batch and no refresh meets none. */
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
    onFault?.(decision.strike, call)
    if (decision.strike.kind === 'token-expire') {
      onExpiry(request)
      return app(request)
    }
    return applyFault(buffered(app), request, socket, decision.strike)
  }
}

/** The app, but done with an answer before it gives it: the calls of a batch are made while it is read. */
function buffered(app: RequestHandler): RequestHandler {
  return async request => {
    const response = await app(request)
    const {body} = response
    const isOpen = body instanceof Readable && lengthOf(response) === Infinity
    return isOpen ? {...response, body: await buffer(body)} : response
  }
}

/** Does what a fault says. */
async function applyFault(
  app: RequestHandler,
  request: ServiceRequest,
  socket: Socket,
  fault: Exclude<Strike, {kind: 'token-expire'}>,
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
        // Nobody may have read the body.
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

/** Ends the connection; the answer goes nowhere. */
function reset(socket: Socket): ServiceResponse {
  socket.resetAndDestroy()
  return {status: 204}
}

/** Waits so many seconds, but not for a caller who has gone. */
async function waitFor(seconds: number, socket: Socket): Promise<void> {
  if (seconds === 0 || socket.destroyed) return
  const gone = new AbortController()
  const leave = () => gone.abort()
  socket.once('close', leave)
  await setTimeout(seconds * 1000, undefined, {signal: gone.signal}).catch(() => undefined)
  socket.off('close', leave)
}

async function discard(answer: Promise<ServiceResponse>): Promise<void> {
  const {body} = await answer
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

/** A stream does not say how long it is: the headers must. */
function sized(response: ServiceResponse): Pick<ServiceResponse, 'headers'> {
  return {headers: {...response.headers, 'Content-Length': String(lengthOf(response))}}
}

function lengthOf({headers, body = ''}: ServiceResponse): number {
  if (body instanceof Readable) return Number(headers?.['Content-Length'] ?? Infinity)
  return Buffer.byteLength(body)
}

/**
 * Here calls go wrong by plan, so that clients can be tested. Nothing else of the service knows of it.
 */

/** What the service itself would give as the reason (reference: protocols.md, section 14). */
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

/** The answer of a call that is refused by plan. */
function refusal(fault: Omit<Extract<Fault, {kind: 'status'}>, 'kind'>): ServiceResponse {
  const {status, retryAfter, body} = fault
  const wait = retryAfter === undefined ? undefined : {'Retry-After': String(retryAfter)}
  if (body === 'none') return {status, headers: {...wait}}
  if (body === 'html') {
    const headers = {'Content-Type': 'text/html; charset=UTF-8', ...wait}
    return {status, headers, body: `<!doctype html><title>${status}</title><h1>${status}</h1>\n`}
  }
  const reason = fault.reason ?? REASONS[status] ?? (status < 500 ? 'badRequest' : 'backendError')
  const error = failure(status, reason, `The faults of this service say ${status} ${reason} here.`)
  return jsonResponse(status, errorBody(error), wait)
}

/** Bodies that do not arrive as they were sent. */

/** How often a second a slowed body moves on. */
const STEPS = 20

/** The first `count` bytes. */
function firstBytes(body: Readable, count: number): Readable {
  return readable(body, head(body, count))
}

/** The first `count` bytes; then the connection is reset. */
function broken(body: Readable, count: number, socket: Socket): Readable {
  async function* pieces(): AsyncGenerator<Buffer> {
    yield* head(body, count)
    // What was passed on is on its way first.
    await setImmediate()
    socket.resetAndDestroy()
    throw Object.assign(new Error('The connection was reset.'), {code: 'ECONNRESET'})
  }
  return readable(body, pieces())
}

/** All bytes, so many a second. */
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

/** The body of a request outlives its reading: the answer goes over the same connection. */
function chunksOf(body: Readable): AsyncIterable<Buffer> {
  return body.iterator({destroyOnReturn: false}) as AsyncIterable<Buffer>
}

/** `pieces` of `body` as a stream. Whoever destroys it does not wait for the next piece. */
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
