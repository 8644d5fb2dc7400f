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
import type {BodyReading} from '#lib/client/transport/incoming.js'
import {LONGEST_GAP} from '#lib/client/transport/silence.js'
import {createTransport, type HttpResponse, type Send} from '#lib/client/transport/transport.js'
import {checkOrigin} from '#lib/config/address.js'
import {hideSecrets, printable} from '#lib/platform/sanitize.js'
import {InputError, refusalOf, TokenRenewedError, UnprovenTokenError} from './errors.js'
import {accepted} from './read-response.js'
import {readSso} from './responses.js'
import {
  BarredTokenError,
  createTokenProofs,
  stopAfterRefusal,
  type TokenGuard,
} from './token-guard.js'
import {checkUrlTarget} from './url.js'

/** Sends requests to one base URL, with the token and common headers. */

/** The API version to request (spec: authorization.md, Versioning). */
const API_VERSION = '2022-11-28'

/** The environment of a sender. */
export interface SenderOptions {
  /** URL of the service without a trailing slash; https, or http on this machine. */
  readonly baseUrl: string
  /** The token to send; `undefined` to send none. Called for each request. */
  readonly token: () => Promise<string | undefined>
  /** Whether a new token is available in place of a refused one; the request is then sent once more. */
  readonly renew?: (refused: string) => Promise<boolean>
  /** Milliseconds of silence before `NetworkError`; a slow response without content may take twice as long. */
  readonly timeout?: number
  /** `drv/1.2.3` */
  readonly userAgent?: string
  readonly signal?: AbortSignal
  /** Other secrets in requests that must not be shown, such as a client secret. */
  readonly secrets?: readonly string[]
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** Knows tokens that must not be sent, for this and other commands. */
  readonly guard?: TokenGuard
  /** Called with organization IDs when their results were left out (spec: authorization.md, Errors). */
  readonly onLeftOut?: (organizations: readonly string[]) => void
  /** Sends HTTP requests; tests replace it. */
  readonly send?: Send
  /** The service's description (default: the built-in one). */
  readonly document?: RestDescription
  /** Opens connections for `send` in advance. */
  readonly agents?: Pick<Agents, 'openAhead'>
  /** Retry settings; without them each request is sent once. */
  readonly retrying?: Retrying
}

export interface Outbound {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer | Readable
  /** Whether the response is content, which is requested uncompressed. */
  readonly content?: boolean
  /** Other statuses that the caller accepts as results. */
  readonly statuses?: readonly number[]
  /** Whether to throw `UnprovenTokenError` for a token that the service has not accepted before. */
  readonly needsProof?: boolean
  /** Called with the token of the request. */
  readonly onToken?: (token: string | undefined) => void
}

/**
 * Sends requests and throws for every error response. If the token is refused and a new one is available, sends the
 * request once more, or throws `TokenRenewedError` if the body cannot be read again; otherwise sends nothing more.
 */
export interface Sender {
  readonly baseUrl: string
  readonly document: RestDescription
  /** An operation from the description. Throws `InputError` if its description is invalid. */
  operation(id: OperationId): Operation
  /** The response, if its status is a success; throws `ServiceError`, `ProtocolError` or `NetworkError`. */
  send(request: Outbound): Promise<HttpResponse>
  /** Reports an error from inside a batch, which may refuse the token; returns whether a new token is available. */
  failed(error: unknown, token: string | undefined): Promise<boolean>
  /** Whether the service has accepted the current token before; true without a token. */
  isProven(): Promise<boolean>
  /** Resolves once the token is proven. */
  whenProven(): Promise<void>
  /** Removes sent tokens and secrets from a text of the service. */
  hide(text: string): string
  /** The settings for reading a response. */
  reading(url: string): BodyReading
  /** Repeats `work` after failures, within the retry policy. */
  retry<T>(
    options: AttemptOptions,
    work: (attempt: Attempt, progressed: () => void) => Promise<T>,
  ): Promise<T>
}

/** Throws `SetupError('configuration')` for a URL that would expose the token. */
export function createSender(options: SenderOptions): Sender {
  const {baseUrl, timeout = LONGEST_GAP, signal, now = Date.now, document = description} = options
  const {userAgent = 'drv', send = createTransport(), retrying} = options
  const base = new URL(baseUrl)
  checkOrigin(base, 'The URL of the service')
  const reading = (url: string): BodyReading => ({url, idle: timeout, signal})
  const stop = stopAfterRefusal(options.guard)
  const proofs = createTokenProofs()
  const sent = new Set(options.secrets)
  const hide = (text: string) => hideSecrets(text, sent, '(token)')
  const isProven = async () => proofs.holds(await options.token())
  const others = isBuiltIn(document) ? [] : operationsOf(document)
  const own = new Map(others.map(known => [known.operationId, known]))
  /** The first token. Later ones must work once before they may be replaced themselves. */
  let first: string | undefined

  /** Whether an error refuses a token for which a new one is available. */
  async function renewed(error: unknown, token: string): Promise<boolean> {
    const isRefused = refusalOf(error) === 'token' || error instanceof BarredTokenError
    if (!isRefused) return false
    // One of those that are on their way may prove it yet.
    if (token !== first && !proofs.holds(token)) await proofs.settled(token)
    if (token !== first && !proofs.holds(token)) return false
    return (await options.renew?.(token)) ?? false
  }

  async function outgo(request: Outbound): Promise<HttpResponse> {
    checkUrlTarget(baseUrl, request.url)
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
      return await proofs.during(token, () => exchange(request, token))
    } catch (error) {
      proofs.failed(error, token)
      let problem = error
      const isRenewed = await renewed(error, token).catch((failure: unknown) => {
        problem = failure
        return false
      })
      if (isRenewed) return again(request)
      await stop.failed(error, token)
      throw problem
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
      // drv's own extra requests use the built-in description; the service may answer 404.
      if (!described) return operation(id)
      const fault = methodFault(described)
      if (fault !== undefined) {
        throw new InputError(`The description is invalid: ${printable(id, 100)} ${fault}.`)
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

/** The headers of a response without secrets, because some are shown. */
export function hiddenHeaders(
  headers: HttpResponse['headers'],
  hide: Sender['hide'],
): HttpResponse['headers'] {
  const entries = Object.entries(headers)
  return Object.fromEntries(entries.map(([name, value]) => [name, value && hide(value)]))
}

/** Headers of all requests, except the token and the user agent. */
export function commonHeaders(content: boolean): Record<string, string> {
  return {
    accept: content ? '*/*' : 'application/json',
    ...(content && {'accept-encoding': 'identity'}),
    'x-service-api-version': API_VERSION,
  }
}
