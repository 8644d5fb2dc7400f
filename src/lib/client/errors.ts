import {CONTENT_DAMAGED} from '#lib/api/wire.js'

/** What can go wrong with a request, by what can be done about it. */

/** The service answered with an error (reference: protocols.md section 14, oauth.md section 6). */
export class ServiceError extends Error {
  constructor(
    readonly status: number,
    /**
     * The service's own reason (`notFound`, `rateLimitExceeded`, …), or '' where it gave none;
     * `rateLimitExceeded` also where only headers or words told of that.
     */
    readonly reason: string,
    /** The service's own words. */
    message: string,
    readonly details: {
      /** Name of the parameter, field or header at fault. */
      readonly location?: string
      /** Scopes the operation accepts and those the token has, where the answer told. */
      readonly acceptedScopes?: readonly string[]
      readonly tokenScopes?: readonly string[]
      /** Seconds the service asked to wait. */
      readonly retryAfter?: number
      /** Where a person can let this token into an organization (spec: authorization.md, Errors). */
      readonly ssoUrl?: string
    } = {},
  ) {
    super(message)
    this.name = 'ServiceError'
  }
}

/** No answer came: refused, reset, timed out, no such host. `message` is a whole sentence. */
export class NetworkError extends Error {
  constructor(
    message: string,
    readonly url: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'NetworkError'
  }
}

/** The proxy between this machine and the service did not let a request through. `message` is a whole sentence. */
export class ProxyError extends Error {
  constructor(
    message: string,
    /** What to do now. */
    readonly hint: string,
    /** Another attempt may find it better: it has let requests through before, or failed itself. */
    readonly mayPass: boolean,
  ) {
    super(message)
    this.name = 'ProxyError'
  }
}

/** The service answered with something that is no answer of this API. `message` is a whole sentence. */
export class ProtocolError extends Error {
  constructor(
    message: string,
    /** It looks like an answer of which the end is missing. */
    readonly isCutShort = false,
  ) {
    super(message)
    this.name = 'ProtocolError'
  }
}

/** A request that goes only with a token that the service is known to take was not sent with another. */
export class UnprovenTokenError extends Error {
  override readonly name = 'UnprovenTokenError'
}

/** The token was refused, and there is another one by now: nothing was done, and whatever was sent can be sent again. */
export class TokenRenewedError extends Error {
  override readonly name = 'TokenRenewedError'

  constructor() {
    super('The token was renewed while content was sent with the old one. Run the command again.')
  }
}

/** The request cannot be sent as asked: a wrong parameter, content that changed. `message` is a whole sentence. */
export class InputError extends Error {
  override readonly name = 'InputError'
}

/** What a refusal means, whoever hears of it. */
export type Refusal =
  /** The token is of no use. */
  | 'token'
  /** The user is locked out for a while, right tokens too (spec: authorization.md, Errors). */
  | 'lockout'
  | 'missing'
  /** An ID is taken, or something else has changed meanwhile. */
  | 'conflict'
  /** Too many requests. `slow rate`: a limit that lasts. */
  | 'rate'
  | 'slow rate'
  /** The service failed; nobody knows how far it had come. */
  | 'service'
  /** Another attempt would be refused the same way. */
  | 'final'

/** The statuses and the reason, or words, by which a refusal is known; the first row that fits counts. */
const REFUSALS: ReadonlyArray<
  readonly [
    refusal: Refusal,
    known: {
      readonly statuses?: readonly number[]
      readonly reason?: RegExp
      readonly words?: RegExp
    },
  ]
> = [
  ['token', {statuses: [401]}],
  ['missing', {statuses: [404]}],
  ['conflict', {statuses: [409]}],
  ['lockout', {statuses: [403], reason: /^loginAttemptsExceeded$/}],
  ['lockout', {statuses: [403], words: /login attempts/i}],
  // What no waiting of a program helps against, whatever status it comes with.
  ['final', {reason: /^(dailyLimit|quota|storageQuota|downloadQuota)Exceeded|^databaseDamaged/}],
  ['final', {reason: new RegExp(`^${CONTENT_DAMAGED}$`)}],
  ['slow rate', {statuses: [403, 429], reason: /^sharingRateLimitExceeded$/}],
  // A 403 without a reason is a refusal for good.
  ['rate', {statuses: [403], reason: /^(rate|userRate)LimitExceeded$/}],
  ['rate', {statuses: [429]}],
  ['service', {statuses: [408, 500, 502, 503, 504]}],
]

/** What a refusal means, by its status, its reason and its words; `undefined` for any other error. */
export function refusalOf(error: unknown): Refusal | undefined {
  return error instanceof ServiceError ? refusalBy(error) : undefined
}

export function refusalBy({
  status,
  reason,
  message,
}: Pick<ServiceError, 'status' | 'reason' | 'message'>): Refusal {
  const row = REFUSALS.find(
    ([, {statuses, reason: pattern, words}]) =>
      (statuses?.includes(status) ?? true) &&
      (pattern?.test(reason) ?? true) &&
      (words?.test(message) ?? true),
  )
  return row?.[0] ?? 'final'
}

/** Whether the ID of a request is taken. */
export function isIdTaken(error: unknown): boolean {
  return refusalOf(error) === 'conflict'
}

/** Whether there is no such thing. */
export function isNotFound(error: unknown): boolean {
  return refusalOf(error) === 'missing'
}

/** Whether the service locks a user out for a while. */
export function isLockout(error: Pick<ServiceError, 'status' | 'reason' | 'message'>): boolean {
  return refusalBy(error) === 'lockout'
}

/** Whether an answer refuses whoever asks, because of the token or of earlier ones. */
export function refusesToken(error: unknown): error is ServiceError {
  const refusal = refusalOf(error)
  return refusal === 'token' || refusal === 'lockout'
}
