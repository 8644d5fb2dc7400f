import type {OperationId} from '../../api/operations.js'

/**
 * What is to go wrong, so that a client can be tested. As a JSON document:
 *
 *     {"seed": 7, "rules": [
 *       {"operations": "*", "fault": "status", "status": 503, "retryAfter": 2, "probability": 0.1},
 *       {"operations": "files.insert", "via": "chunk", "fault": "reset", "at": "request",
 *        "after": 100000, "every": 3},
 *       {"operations": ["files.get"], "via": "download", "fault": "truncate", "after": 10, "first": 1},
 *       {"operations": "files.copy", "fault": "lose", "calls": [2, 5]},
 *       {"operations": "*", "fault": "rateLimit", "perSecond": 10}
 *     ]}
 *
 * A rule counts the calls that it is for, whatever other rules do to them. Of the rules that strike
 * a call, the first in the list counts.
 */
export interface FaultPlan {
  /** Where the random numbers start, from 0 to 2^32-1; 1 by default. The same calls in the same order meet the same faults. */
  readonly seed: number
  readonly rules: readonly FaultRule[]
}

/** `batch` stands for a batch as a whole: the calls in it are left alone. */
export type FaultTarget = OperationId | 'batch'

/**
 * How a call comes: `plain` with or for JSON, `upload` with content (or to begin a session),
 * `chunk` to the address of an upload session, `download` for content.
 */
export const CALL_KINDS = ['plain', 'upload', 'chunk', 'download'] as const
export type CallKind = (typeof CALL_KINDS)[number]

export interface FaultRule {
  /** For these, or for all (`*`). */
  readonly operations: '*' | readonly FaultTarget[]
  /** Only for calls that come this way; for all without it. */
  readonly via?: CallKind
  readonly when: Schedule
  readonly fault: Fault
}

/** Which of the calls of a rule, counted from 1. In the document at most one of them is given; none means all. */
export type Schedule =
  | {readonly kind: 'always'}
  /** Each with this chance, from 0 to 1. */
  | {readonly kind: 'probability'; readonly probability: number}
  /** The third, the sixth, the ninth for 3. */
  | {readonly kind: 'every'; readonly every: number}
  | {readonly kind: 'first'; readonly first: number}
  | {readonly kind: 'calls'; readonly calls: readonly number[]}

export type Fault =
  StatusFault | ResetFault | SlowFault | TruncateFault | LoseFault | RateLimitFault

/** An error answer; nothing was done. */
export interface StatusFault {
  readonly kind: 'status'
  /** 400 to 599. */
  readonly status: number
  /** `errors[0].reason`; by default one that goes with the status. */
  readonly reason?: string
  /** The header `Retry-After`, in seconds. */
  readonly retryAfter?: number
  /** How the error is told: as the service does, as a page of a machine in between, or not at all. `json` by default. */
  readonly body: 'json' | 'html' | 'none'
}

/**
 * The connection is reset. At the `request` (the default) after so many bytes of its body, at the
 * latest at its end, and before the operation is done. At the `response` after so many bytes of the
 * answer, before its last one; the operation is done.
 */
export interface ResetFault {
  readonly kind: 'reset'
  readonly at: 'request' | 'response'
  /** Bytes; 0 by default. */
  readonly after: number
}

/** The body of the `request` is taken, or that of the `response` (the default) is sent, no faster than this. */
export interface SlowFault {
  readonly kind: 'slow'
  readonly at: 'request' | 'response'
  readonly bytesPerSecond: number
}

/** The answer ends after so many bytes (0 by default), and its headers say that this is all. */
export interface TruncateFault {
  readonly kind: 'truncate'
  readonly after: number
}

/** The operation is done, and the connection is reset instead of an answer, `hold` seconds (0 by default) later. */
export interface LoseFault {
  readonly kind: 'lose'
  readonly hold: number
}

/** More calls a second than this, of all callers together, are answered with a `status` (429, the default, or 403) and `Retry-After`. */
export interface RateLimitFault {
  readonly kind: 'rateLimit'
  readonly perSecond: number
  readonly status: number
  /** `rateLimitExceeded` by default. */
  readonly reason: string
}
