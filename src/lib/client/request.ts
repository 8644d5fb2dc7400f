import type {Readable} from 'node:stream'
import {description} from '#lib/api/description/index.js'
import {methodFault} from '#lib/api/document/fault.js'
import {
  isBuiltIn,
  type Operation,
  operation,
  type OperationId,
  operationsOf,
} from '#lib/api/operations.js'
import type {RestDescription} from '#lib/api/types.js'
import {
  type Attempt,
  type AttemptOptions,
  type Retrying,
  withRetries,
} from '#lib/client/retry/attempts.js'
import type {Agents} from '#lib/client/transport/agents.js'
import {discardBody, type Reading, readText} from '#lib/client/transport/incoming.js'
import {LONGEST_GAP} from '#lib/client/transport/silence.js'
import {createTransport, type HttpResponse, type Send} from '#lib/client/transport/transport.js'
import {checkOrigin} from '#lib/config/address.js'
import {hideSecrets, printable} from '#lib/platform/sanitize.js'
import {InputError, refusalOf, TokenRenewedError, UnprovenTokenError} from './errors.js'
import {checkValues} from './limits.js'
import {jsonObject, meaningOf, readSso, serviceError, strangeStatus} from './responses.js'
import {BarredTokenError, createProofs, stopAfterRefusal, type TokenGuard} from './token-guard.js'
import {checkTarget} from './url.js'

/** Requests to the service at one base address, with its token and its common headers. */

/** The version of the API that is asked for (spec: authorization.md, Versioning). */
const API_VERSION = '2022-11-28'

/** The most bytes a JSON answer, and what is read of an error, may have once unpacked. */
const JSON_LIMIT = 16 * 1024 * 1024
const ERROR_LIMIT = 1024 * 1024

/** What a client needs to know of the world. */
export interface SenderOptions {
  /** Address of the service, no slash at the end; https, or http on this machine. */
  readonly baseUrl: string
  /** The token to send, or `undefined` to send none. Asked for each request. */
  readonly token: () => Promise<string | undefined>
  /** Whether there is another token than one that was refused: the request is sent once more with it. */
  readonly renew?: (refused: string) => Promise<boolean>
  /** Milliseconds without a sign of life before `NetworkError`; a slow response without content may take twice as long. */
  readonly timeout?: number
  /** `drv/1.2.3` */
  readonly userAgent?: string
  readonly signal?: AbortSignal
  /** What else goes with requests and must not be shown, such as the secret of an app. */
  readonly secrets?: readonly string[]
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** Knows tokens that must not be sent, for this and other commands. */
  readonly guard?: TokenGuard
  /** Told when results of organizations were left out, with their IDs (spec: authorization.md, Errors). */
  readonly onLeftOut?: (organizations: readonly string[]) => void
  /** How requests travel; over HTTP unless a test says otherwise. */
  readonly send?: Send
  /** What the service offers; the built-in description unless another is given. */
  readonly document?: RestDescription
  /** Opens connections for `send`; without it none are opened before they are needed. */
  readonly agents?: Pick<Agents, 'openAhead'>
  /** How to try again; without it every request is sent once. */
  readonly retrying?: Retrying
}

export interface Outbound {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer | Readable
  /** The answer is content: it is asked for as it is, not compressed. */
  readonly content?: boolean
  /** Statuses that mean something here, beyond those of success. */
  readonly statuses?: readonly number[]
  /** It goes only with a token that the service took before, or none; else `UnprovenTokenError`. */
  readonly needsProof?: boolean
  /** Hears which token it goes with. */
  readonly onToken?: (token: string | undefined) => void
}

/**
 * Sends requests and turns every refusal into an error. Where the token is refused and there is another, sends once more with
 * that, or throws `TokenRenewedError` where the body cannot be read twice; else sends nothing more.
 */
export interface Sender {
  readonly baseUrl: string
  readonly document: RestDescription
  /** An operation as the description has it. Throws `InputError` where nobody can call it. */
  operation(id: OperationId): Operation
  /** The answer, whose status is one of success; throws `ServiceError`, `ProtocolError` or `NetworkError`. */
  send(request: Outbound): Promise<HttpResponse>
  /** Hears of a refusal that did not come as the answer to a request; whether there is another token since. */
  failed(error: unknown, token: string | undefined): Promise<boolean>
  /** Whether the service took the present token before; true where there is none. */
  isProven(): Promise<boolean>
  /** Resolves once that is so. */
  whenProven(): Promise<void>
  /** A text of the service without the tokens and secrets that were sent to it, should it repeat one. */
  hide(text: string): string
  /** What to read an answer with. */
  reading(url: string): Reading
  /** Does `work` again after faults, as far as the retry policy goes. */
  retry<T>(
    options: AttemptOptions,
    work: (attempt: Attempt, progressed: () => void) => Promise<T>,
  ): Promise<T>
}

/** Throws `SetupError('configuration')` for an address that would carry a token in the open. */
export function createSender(options: SenderOptions): Sender {
  const {baseUrl, timeout = LONGEST_GAP, signal, now = Date.now, document = description} = options
  const {userAgent = 'drv', send = createTransport(), retrying} = options
  const base = new URL(baseUrl)
  checkOrigin(base, 'The address of the service')
  const reading = (url: string): Reading => ({url, idle: timeout, signal})
  const stop = stopAfterRefusal(options.guard)
  const proofs = createProofs()
  const sent = new Set(options.secrets)
  const hide = (text: string) => hideSecrets(text, sent, '(token)')
  const isProven = async () => proofs.holds(await options.token())
  const others = isBuiltIn(document) ? [] : operationsOf(document)
  const own = new Map(others.map(known => [known.operationId, known]))
  /** The first token that was in force: those after it have to work before they are replaced themselves. */
  let first: string | undefined

  /** Whether an error refuses a token that has a successor. */
  async function renewed(error: unknown, token: string): Promise<boolean> {
    const isRefused = refusalOf(error) === 'token' || error instanceof BarredTokenError
    if (!isRefused || (token !== first && !proofs.holds(token))) return false
    return (await options.renew?.(token)) ?? false
  }

  async function outgo(request: Outbound): Promise<HttpResponse> {
    checkTarget(baseUrl, request.url)
    const token = await options.token()
    request.onToken?.(token)
    if (token === undefined) return exchange(request, token)
    first ??= token
    sent.add(token)
    try {
      await stop.before(token)
    } catch (error) {
      if (await renewed(error, token)) return again(request)
      throw error
    }
    try {
      return await exchange(request, token)
    } catch (error) {
      proofs.failed(error, token)
      if (await renewed(error, token)) return again(request)
      await stop.failed(error, token)
      throw error
    }
  }

  function again(request: Outbound): Promise<HttpResponse> {
    const {body} = request
    if (typeof body === 'object' && !Buffer.isBuffer(body)) throw new TokenRenewedError()
    return outgo(request)
  }

  async function exchange(
    {method, url, headers, body, content = false, statuses = [], needsProof}: Outbound,
    token: string | undefined,
  ): Promise<HttpResponse> {
    if (needsProof && !proofs.holds(token)) throw new UnprovenTokenError()
    const answered = await send({
      method,
      url,
      headers: {
        ...commonHeaders(content),
        'user-agent': userAgent,
        ...headers,
        ...(token !== undefined && {authorization: `Bearer ${token}`}),
      },
      body,
      timeout,
      decompress: !content,
      signal,
    })
    const response = {...answered, headers: hiddenHeaders(answered.headers, hide)}
    const {leftOut} = readSso(response.headers['x-service-sso'])
    if (leftOut) options.onLeftOut?.(leftOut)
    if (statuses.includes(response.status)) return response
    const answer = await accepted(response, reading(url), {now: now(), token, hide})
    if (token !== undefined) proofs.succeeded(token)
    return answer
  }

  return {
    baseUrl,
    document,
    hide,
    operation(id) {
      const described = own.get(id)
      // What is asked to find out more is there, or the service answers that it is not.
      if (!described) return operation(id)
      const fault = methodFault(described)
      if (fault !== undefined) {
        throw new InputError(`The description is at fault: ${printable(id, 100)} ${fault}.`)
      }
      return described
    },
    reading,
    async failed(error, token) {
      if (token === undefined) return false
      const isRenewed = await renewed(error, token)
      if (!isRenewed) await stop.failed(error, token)
      return isRenewed
    },
    isProven,
    async whenProven() {
      while (!(await isProven())) await proofs.next()
    },
    retry: (attemptOptions, work) => withRetries(retrying, attemptOptions, work),
    send: outgo,
  }
}

/** The headers of an answer, some of which are shown, without what must not be. */
export function hiddenHeaders(
  headers: HttpResponse['headers'],
  hide: Sender['hide'],
): HttpResponse['headers'] {
  const entries = Object.entries(headers)
  return Object.fromEntries(entries.map(([name, value]) => [name, value && hide(value)]))
}

/** The headers that all requests have, but for the token and the name of the program. */
export function commonHeaders(content: boolean): Record<string, string> {
  return {
    accept: content ? '*/*' : 'application/json',
    ...(content && {'accept-encoding': 'identity'}),
    'x-service-api-version': API_VERSION,
  }
}

/** The answer's JSON object. Throws `ProtocolError` for anything else, whatever the status says. */
export async function readRecord(
  response: HttpResponse,
  reading: Reading,
): Promise<Record<string, unknown>> {
  return jsonObject(await readJsonText(response, reading), response.headers, reading.url)
}

/** As `readRecord`, of an operation that may answer with nothing: `undefined`. */
export async function readOptional(
  response: HttpResponse,
  reading: Reading,
): Promise<Record<string, unknown> | undefined> {
  const text = await readJsonText(response, reading)
  return text.trim() === '' ? undefined : jsonObject(text, response.headers, reading.url)
}

/** The body of a response; throws `ProtocolError` for more bytes or values than those of this API have. */
export async function readJsonText(response: HttpResponse, reading: Reading): Promise<string> {
  const text = await readText(response, reading, JSON_LIMIT)
  checkValues(text, reading.url)
  return text
}

async function accepted(
  response: HttpResponse,
  reading: Reading,
  {now, token, hide}: {now: number; token: string | undefined; hide: Sender['hide']},
): Promise<HttpResponse> {
  const {status, headers} = response
  const meaning = meaningOf(status)
  if (meaning === 'result' || meaning === 'empty') return response
  if (meaning !== 'refusal') {
    discardBody(response)
    const carried = token === undefined ? 'the request goes' : 'your token goes'
    throw strangeStatus(status, headers, reading.url, carried)
  }
  // A body that breaks off or is endless must not hide that the service refused.
  const body = await readText(response, reading, ERROR_LIMIT).catch((error: unknown) => {
    if (reading.signal?.aborted) throw error
    return ''
  })
  throw serviceError(status, headers, body, now, hide)
}
