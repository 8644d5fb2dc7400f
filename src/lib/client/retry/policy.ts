import {createsFile, type OperationId} from '#lib/api/operations.js'
import {
  NetworkError,
  ProtocolError,
  ProxyError,
  refusalBy,
  ServiceError,
  TokenRenewedError,
} from '#lib/client/errors.js'

/** Decides for all requests which failures are retried, and when (reference: protocols.md, section 14). Pure. */

/** What a failure means for a retry. */
export type FailureClass =
  /** A retry would fail in the same way. */
  | {readonly kind: 'final'}
  /** Refused because of a token that has been renewed. */
  | {readonly kind: 'renewed'}
  /** Refused before anything was done: too many requests; `slow` is a limit that lasts. */
  | {readonly kind: 'rate'; readonly slow: boolean; readonly retryAfter?: number}
  /** Refused before anything was done, and the reason was lost: it may be one that passes. */
  | {readonly kind: 'unexplained'; readonly retryAfter?: number}
  /** The service failed, and the request may have been carried out. */
  | {readonly kind: 'service'; readonly retryAfter?: number}
  /** The response was lost, and perhaps the request. */
  | {readonly kind: 'broken'}
  /** The request was not delivered; `passing` if that is known to be temporary. */
  | {readonly kind: 'unreachable'; readonly passing?: boolean}

/** Whether a request may be repeated when an earlier attempt may have been carried out. */
export type Repeat =
  /** Repeating has no further effect. */
  | 'safe'
  /** Repeat only after a refusal. */
  | 'unsafe'

export interface RetryLimits {
  /** Maximum number of attempts, including the first. */
  readonly attempts: number
  /** Milliseconds after the first attempt until which retries may start. */
  readonly total: number
}

const BROKEN_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ERR_STREAM_PREMATURE_CLOSE',
  'HPE_INVALID_EOF_STATE',
  // Truncated compressed data.
  'Z_BUF_ERROR',
])
const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
])

/** Whether a request that failed may succeed later. */
export function isTemporary(error: unknown): boolean {
  return classifyFailure(error).kind !== 'final'
}

/** Classifies a failure for the retry policy. */
export function classifyFailure(error: unknown): FailureClass {
  if (error instanceof ServiceError) {
    const refusal = refusalBy(error)
    const {retryAfter, isCutShort} = error.details
    if (refusal === 'service') return {kind: 'service', retryAfter}
    if (refusal === 'final' && isCutShort) return {kind: 'unexplained', retryAfter}
    const isRate = refusal === 'rate' || refusal === 'slow rate'
    return isRate ? {kind: 'rate', slow: refusal === 'slow rate', retryAfter} : {kind: 'final'}
  }
  if (error instanceof TokenRenewedError) return {kind: 'renewed'}
  if (error instanceof ProtocolError && error.isCutShort) return {kind: 'broken'}
  if (error instanceof ProxyError) {
    return error.mayPass ? {kind: 'unreachable', passing: true} : {kind: 'final'}
  }
  if (!(error instanceof NetworkError)) return {kind: 'final'}
  const code = (error.cause as NodeJS.ErrnoException | undefined)?.code
  // A response body that stopped or broke off has no code.
  if (code === undefined || code === 'EAI_AGAIN' || BROKEN_CODES.has(code)) return {kind: 'broken'}
  return {kind: UNREACHABLE_CODES.has(code) ? 'unreachable' : 'final'}
}

/** POST operations that set or move something, so that repeating has no further effect. */
const SETTING: ReadonlySet<OperationId> = new Set<OperationId>([
  'files.trash',
  'files.untrash',
  'files.touch',
  'files.modifyLabels',
  'drives.hide',
  'drives.unhide',
  'properties.insert',
  'children.insert',
  'parents.insert',
  // The required `requestId` makes it happen only once.
  'drives.insert',
])

/**
 * Whether an operation may be repeated. Reading, replacing, setting and removing may; creating may only with a
 * reserved ID or request ID. Each upload of content creates a revision, so it may not.
 */
export function repeatOf(
  id: OperationId,
  method: string,
  {hasId, hasContent}: {readonly hasId: boolean; readonly hasContent: boolean},
): Repeat {
  if (createsFile(id)) return hasId ? 'safe' : 'unsafe'
  if (hasContent) return 'unsafe'
  return method !== 'POST' || SETTING.has(id) ? 'safe' : 'unsafe'
}

const BASE = 500
const SLOW_BASE = 15_000
const CAP = 32_000
/** Fraction of a requested wait that is added at random, so that clients do not all resume at once. */
const SPREAD = 0.1

/**
 * Milliseconds until the attempt after `attempt`, or `undefined` to give up. Uses full jitter: a random
 * time from 0 to a limit that doubles each time, but never less than the service asked for. `elapsed`
 * counts from the first attempt. `persistent` keeps retrying an unreachable service that responded
 * before.
 */
export function nextDelay(
  fault: FailureClass,
  state: {
    readonly repeat: Repeat
    readonly persistent: boolean
    readonly attempt: number
    readonly elapsed: number
    /** A number from 0 to 1. */
    readonly random: number
  },
  {attempts, total}: RetryLimits,
): number | undefined {
  const {repeat, persistent, attempt, elapsed, random} = state
  if (fault.kind === 'renewed') return 0
  if (fault.kind === 'final' || attempt >= attempts) return undefined
  if (fault.kind === 'unreachable' && !persistent && !fault.passing) return undefined
  const isDoubtful = fault.kind === 'service' || fault.kind === 'broken'
  if (isDoubtful && repeat === 'unsafe') return undefined
  const isSlow = fault.kind === 'rate' && fault.slow
  const limit = Math.min(CAP, (isSlow ? SLOW_BASE : BASE) * 2 ** (attempt - 1))
  // For slow limits, at least half the limit: two clients that retry at once only prolong it.
  const backoff = isSlow ? limit * (0.5 + random / 2) : limit * random
  const asked = ('retryAfter' in fault ? (fault.retryAfter ?? 0) : 0) * 1000
  const delay = Math.round(Math.max(backoff, asked * (1 + SPREAD * random)))
  return elapsed + delay > total ? undefined : delay
}
