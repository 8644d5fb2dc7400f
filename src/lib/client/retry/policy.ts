import type {OperationId} from '#lib/api/operations.js'
import {
  NetworkError,
  ProtocolError,
  ProxyError,
  refusalBy,
  ServiceError,
  TokenRenewedError,
} from '#lib/client/errors.js'

/** Which failures are retried, and when (reference: protocols.md, section 14): the one place for all requests. Pure. */

/** What a failure says about another attempt. */
export type FailureClass =
  /** Another attempt would fail the same way. */
  | {readonly kind: 'final'}
  /** Refused because of a token that has a successor by now. */
  | {readonly kind: 'renewed'}
  /** Refused before anything was done: too many requests. `slow`: a limit that lasts. */
  | {readonly kind: 'rate'; readonly slow: boolean; readonly retryAfter?: number}
  /** The service failed; nobody knows how far it had come. */
  | {readonly kind: 'service'; readonly retryAfter?: number}
  /** The answer was lost, perhaps the request as well. */
  | {readonly kind: 'broken'}
  /** Nobody took the request; `passing` where that is known not to last. */
  | {readonly kind: 'unreachable'; readonly passing?: boolean}

/** Whether a request may be sent again when nobody knows if it was carried out. */
export type Repeat =
  /** Twice has the effect of once. */
  | 'safe'
  /** Only after a refusal. */
  | 'unsafe'

export interface RetryLimits {
  /** The most attempts for a request, the first one included. */
  readonly attempts: number
  /** Milliseconds from the first attempt after which none begins. */
  readonly total: number
}

const BROKEN_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ERR_STREAM_PREMATURE_CLOSE',
  'HPE_INVALID_EOF_STATE',
  // Compressed text that ends too early.
  'Z_BUF_ERROR',
])
const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
])

/** Classifies a failure for the retry policy. */
export function classifyFailure(error: unknown): FailureClass {
  if (error instanceof ServiceError) {
    const refusal = refusalBy(error)
    const {retryAfter} = error.details
    if (refusal === 'service') return {kind: 'service', retryAfter}
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
  // A body that stopped or broke off has no code.
  if (code === undefined || code === 'EAI_AGAIN' || BROKEN_CODES.has(code)) return {kind: 'broken'}
  return {kind: UNREACHABLE_CODES.has(code) ? 'unreachable' : 'final'}
}

/** Operations with POST that set or move something, so that twice has the effect of once. */
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
  // Once for each `requestId`, without which there is none.
  'drives.insert',
])

/** Operations that make a file, whose ID can be chosen beforehand. */
const MAKING: ReadonlySet<OperationId> = new Set<OperationId>(['files.insert', 'files.copy'])

/**
 * Whether an operation may be repeated: what reads, replaces, sets or removes; what makes something only when its ID
 * or that of the request is known beforehand. Content makes a new revision each time.
 */
export function repeatOf(
  id: OperationId,
  method: string,
  {hasId, hasContent}: {readonly hasId: boolean; readonly hasContent: boolean},
): Repeat {
  if (MAKING.has(id)) return hasId ? 'safe' : 'unsafe'
  if (hasContent) return 'unsafe'
  return method !== 'POST' || SETTING.has(id) ? 'safe' : 'unsafe'
}

const BASE = 500
const SLOW_BASE = 15_000
const CAP = 32_000
/** Whoever was told to wait wakes up within so much of that time more, not all at once. */
const SPREAD = 0.1

/**
 * Milliseconds until attempt number `attempt + 1`, `attempt` having failed, or `undefined` to give
 * up. Full jitter: anything from 0 to a limit that doubles each time. What the service asked for is
 * never cut short. `elapsed` counts from the first attempt; `persistent` holds on to a service that
 * cannot be reached, because it answered before.
 */
export function nextDelay(
  fault: FailureClass,
  state: {
    readonly repeat: Repeat
    readonly persistent: boolean
    readonly attempt: number
    readonly elapsed: number
    /** From 0 to 1. */
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
  // Two callers of a slow limit that came back at once would only prolong it.
  const backoff = isSlow ? limit * (0.5 + random / 2) : limit * random
  const asked = ('retryAfter' in fault ? (fault.retryAfter ?? 0) : 0) * 1000
  const delay = Math.round(Math.max(backoff, asked * (1 + SPREAD * random)))
  return elapsed + delay > total ? undefined : delay
}
