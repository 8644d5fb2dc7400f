import {CONTENT_DAMAGED} from '#lib/api/wire.js'

/** Errors of requests, classified by what the caller can do. */

/** The service responded with an error (reference: protocols.md section 14, oauth.md section 6). */
export class ServiceError extends Error {
  constructor(
    readonly status: number,
    /**
     * The service's reason (`notFound`, `rateLimitExceeded`, …), or '' without one;
     * `rateLimitExceeded` also if only headers or the message show a rate limit.
     */
    readonly reason: string,
    /** The service's message. */
    message: string,
    readonly details: {
      /** Name of the invalid parameter, field or header. */
      readonly location?: string
      /** Scopes that the operation accepts, and scopes of the token, if the response has them. */
      readonly acceptedScopes?: readonly string[]
      readonly tokenScopes?: readonly string[]
      /** Seconds to wait before a retry. */
      readonly retryAfter?: number
      /** Page where the user can authorize this token for an organization (spec: authorization.md, Errors). */
      readonly ssoUrl?: string
      /** Whether the body of the response broke off, so that the reason is unknown. */
      readonly isCutShort?: boolean
    } = {},
  ) {
    super(message)
    this.name = 'ServiceError'
  }
}

/** No response: connection refused, reset, timed out, unknown host. `message` is a sentence. */
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

/** The proxy did not forward the request. `message` is a sentence. */
export class ProxyError extends Error {
  constructor(
    message: string,
    /** What the user can do. */
    readonly hint: string,
    /** Whether a retry may succeed: the proxy worked before, or failed itself. */
    readonly mayPass: boolean,
  ) {
    super(message)
    this.name = 'ProxyError'
  }
}

/** The response does not conform to this API. `message` is a sentence. */
export class ProtocolError extends Error {
  constructor(
    message: string,
    /** Whether the response appears to be truncated. */
    readonly isCutShort = false,
  ) {
    super(message)
    this.name = 'ProtocolError'
  }
}

/** A request that needs a proven token was not sent, because the token is not proven yet. */
export class UnprovenTokenError extends Error {
  override readonly name = 'UnprovenTokenError'
}

/** The token was refused, but a new one is available: nothing was done, and the request can be repeated. */
export class TokenRenewedError extends Error {
  override readonly name = 'TokenRenewedError'

  constructor() {
    super('The token expired during the upload and has been renewed. Run the command again.')
  }
}

/** The request is invalid: a wrong parameter, or content that changed. `message` is a sentence. */
export class InputError extends Error {
  override readonly name = 'InputError'
}

/** The meaning of an error response. */
export type Refusal =
  /** The token is invalid. */
  | 'token'
  /** The user is locked out temporarily, even with a valid token (spec: authorization.md, Errors). */
  | 'lockout'
  | 'missing'
  /** An ID is taken, or the item has changed. */
  | 'conflict'
  /** Too many requests; `slow rate` is a limit that lasts. */
  | 'rate'
  | 'slow rate'
  /** The service failed, and the request may have been carried out. */
  | 'service'
  /** A retry would fail in the same way. */
  | 'final'

/** The status, reason or message that identify each meaning; the first match counts. */
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
  // Limits that waiting does not help against, whatever their status.
  ['final', {reason: /^(dailyLimit|quota|storageQuota|downloadQuota)Exceeded|^databaseDamaged/}],
  ['final', {reason: new RegExp(`^${CONTENT_DAMAGED}$`)}],
  ['slow rate', {statuses: [403, 429], reason: /^sharingRateLimitExceeded$/}],
  // A 403 without a reason is final.
  ['rate', {statuses: [403], reason: /^(rate|userRate)LimitExceeded$/}],
  ['rate', {statuses: [429]}],
  ['service', {statuses: [408, 500, 502, 503, 504]}],
]

/** The meaning of a `ServiceError`; `undefined` for other errors. */
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

/** Whether an error means that the ID in the request is taken. */
export function isIdTaken(error: unknown): boolean {
  return refusalOf(error) === 'conflict'
}

/** Whether an error means that the item does not exist. */
export function isNotFound(error: unknown): boolean {
  return refusalOf(error) === 'missing'
}

/** Whether an error means that the user is locked out temporarily. */
export function isLockout(error: Pick<ServiceError, 'status' | 'reason' | 'message'>): boolean {
  return refusalBy(error) === 'lockout'
}

/** Whether an error refuses the token or the user. */
export function refusesToken(error: unknown): error is ServiceError {
  const refusal = refusalOf(error)
  return refusal === 'token' || refusal === 'lockout'
}
