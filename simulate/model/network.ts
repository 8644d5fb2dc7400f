import {Readable} from 'node:stream'
import {coded, networkFailure} from '#lib/client/transport/network-failure.js'
import type {HttpRequest, HttpResponse, Send} from '#lib/client/transport/transport.js'
import type {ServiceRequest, ServiceResponse} from '#lib/service/http/message.js'
import type {RequestHandler} from '#lib/service/server/request-handler.js'
import {currentProcess, type Process} from './kernel.js'

/** Carries requests to the service, and decides what happens to them on the way. */

/** The origin of the service, at which nothing listens. */
export const ADDRESS = 'http://127.0.0.1:1'

/** What can happen to a request. */
export const FAULTS = [
  /** It never arrives. */
  'lost',
  /** It is carried out, but its response never arrives. */
  'response lost',
  /** It arrives long after the client has given up. */
  'late',
  /** Only half of its body arrives. */
  'request cut',
  /** Only half of the response arrives. */
  'response cut',
  /** The service fails before it does anything. */
  'failed',
  /** The service does what it was asked for, and then reports a failure. */
  'failed after',
  /** The service responds with a page for people. */
  'bad gateway',
  /** The service asks for a pause. */
  'rate limit',
  'refused',
  /** The service ends in the middle of the request, and starts again. */
  'restart',
] as const

export type Fault = (typeof FAULTS)[number]

/** The fault of the request with a number, from 0, in the order in which they are sent. */
export interface PlannedFault {
  readonly request: number
  readonly fault: Fault
}

/** Milliseconds from a client to the service and back, by choice. */
const LATENCIES = [1, 40, 2, 900] as const
/** When a late request arrives, in ms: after the timeout of the client. */
const LATE = 20_000
/** Milliseconds after which a client learns that its request was lost. */
const GIVEN_UP = 15_000
/** How long a restart of the service takes, in ms. */
const DOWN = 700

export interface Network {
  readonly send: Send
  /** Lines about requests that went wrong, for people. */
  readonly log: readonly string[]
  /** The number of requests so far. */
  count(): number
}

export interface NetworkOptions {
  readonly handle: RequestHandler
  /** The process in which the service runs. */
  readonly service: Process
  readonly faults: readonly PlannedFault[]
  /** Chooses one of several latencies. */
  readonly pick: (count: number) => number
}

export function createNetwork({handle, service, faults, pick}: NetworkOptions): Network {
  const {world} = service
  const byRequest = new Map(faults.map(({request, fault}) => [request, fault]))
  const log: string[] = []
  let count = 0
  let downUntil = 0

  const pass = (milliseconds: number) =>
    new Promise<void>(resolve => world.later(milliseconds, resolve, service))

  /** Has the service handle a request; `part` is the share of the body that arrives. */
  async function handled(
    {method, url, headers}: HttpRequest,
    body: Buffer,
    part = 1,
  ): Promise<ServiceResponse> {
    const isWhole = part === 1
    const all = {...headers, ...(body.length > 0 && {'content-length': String(body.length)})}
    const request: ServiceRequest = {
      method,
      url: new URL(url),
      headers: all,
      body: isWhole ? Readable.from(body.length > 0 ? [body] : []) : brokenOff(body),
      remoteAddress: '127.0.0.1',
    }
    return world.within(service, () => handle(request))
  }

  const send: Send = async request => {
    const client = currentProcess()!
    await world.asyncEffect()
    const number = count++
    const fault = byRequest.get(number)
    const {method, url, signal} = request
    const fail = (code: string) => networkFailure(coded(code, code), url, signal)
    const body = await wholeBody(request.body)
    // The client's process gets the answer only if it is still running then.
    const back = (milliseconds: number) =>
      new Promise<void>(resolve => world.later(milliseconds, resolve, client))
    const note = (what: string) => {
      log.push(`request ${number} of process ${client.pid}: ${what}: ${method} ${shortUrl(url)}`)
    }
    if (fault) note(fault)
    if (world.now() < downUntil || fault === 'refused') {
      await back(1)
      throw fail('ECONNREFUSED')
    }
    const latency = LATENCIES[pick(LATENCIES.length)]!
    const work = world.within(service, async (): Promise<ServiceResponse | string> => {
      await pass(latency)
      if (fault === 'lost') return 'ETIMEDOUT'
      if (fault === 'failed') return failure(503)
      if (fault === 'bad gateway') return {...failure(502), body: '<html>Bad gateway</html>'}
      if (fault === 'rate limit') return failure(429, {'Retry-After': '3'})
      if (fault === 'late') {
        void world.within(service, async () => {
          await pass(LATE)
          await drained(await handled(request, body))
        })
        return 'ETIMEDOUT'
      }
      if (fault === 'restart') downUntil = world.now() + DOWN
      if (fault === 'request cut') {
        await handled(request, body, 0.5).then(drained, () => undefined)
        return 'ECONNRESET'
      }
      const response = await handled(request, body)
      const isHalf = fault === 'restart'
      const content = await drained(response, isHalf)
      if (fault === 'response lost' || isHalf) return 'ECONNRESET'
      if (fault === 'failed after') return failure(500)
      return {...response, body: content}
    })
    const answer = await work
    if (typeof answer === 'string') {
      await back(answer === 'ETIMEDOUT' ? GIVEN_UP : 1)
      throw fail(answer)
    }
    await back(latency)
    signal?.throwIfAborted()
    return received(answer, method, fault === 'response cut')
  }

  return {send, log, count: () => count}
}

/** The request body of a client that breaks off in the middle. */
function brokenOff(body: Buffer): Readable {
  const half = body.subarray(0, Math.floor(body.length / 2))
  return Readable.from(
    (async function* () {
      if (half.length > 0) yield half
      throw coded('aborted', 'ECONNRESET')
    })(),
  )
}

async function wholeBody(body: HttpRequest['body']): Promise<Buffer> {
  if (body === undefined) return Buffer.alloc(0)
  if (typeof body === 'string') return Buffer.from(body)
  if (Buffer.isBuffer(body)) return body
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(Buffer.from(chunk as Buffer))
  return Buffer.concat(chunks)
}

/** Reads a response in the service; `isHalf`: only its first chunks, so that a batch stops in the middle. */
async function drained({body = ''}: ServiceResponse, isHalf = false): Promise<Buffer> {
  if (typeof body === 'string') return Buffer.from(body)
  if (Buffer.isBuffer(body)) return body
  const chunks: Buffer[] = []
  for await (const chunk of body) {
    chunks.push(Buffer.from(chunk as Buffer))
    if (isHalf && chunks.length === 2) break
  }
  return Buffer.concat(chunks)
}

function failure(status: number, headers: Record<string, string> = {}): ServiceResponse {
  const reason = status === 429 ? 'rateLimitExceeded' : 'backendError'
  const error = {code: status, message: 'Simulated', errors: [{reason, message: 'Simulated'}]}
  return {
    status,
    headers: {'Content-Type': 'application/json; charset=UTF-8', ...headers},
    body: JSON.stringify({error}),
  }
}

function received(response: ServiceResponse, method: string, isCut: boolean): HttpResponse {
  const {status, headers = {}} = response
  const content = response.body as Buffer | string | undefined
  const bytes = Buffer.from(content ?? '')
  const isEmpty = method === 'HEAD' || [204, 205, 304].includes(status)
  const names = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), [value].flat().join(', ')] as const,
  )
  const half = bytes.subarray(0, Math.floor(bytes.length / 2))
  const body = Readable.from(
    (async function* () {
      if (!isCut) {
        if (bytes.length > 0) yield bytes
        return
      }
      if (half.length > 0) yield half
      throw coded('aborted', 'ECONNRESET')
    })(),
  )
  return {
    status,
    headers: {
      ...Object.fromEntries(names),
      ...(!isEmpty && {'content-length': String(bytes.length)}),
    },
    body,
    isEmpty,
  }
}

const shortUrl = (url: string) => decodeURIComponent(new URL(url).pathname + new URL(url).search)
