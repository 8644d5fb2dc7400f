import type {Outcome} from '#lib/client/client.js'
import {isNotFound, NetworkError, refusesToken, ServiceError} from '#lib/client/errors.js'
import {DEFAULT_LIMITS, type Retrying} from '#lib/client/retry/attempts.js'
import {
  classifyFailure,
  type FailureClass,
  isTemporary,
  nextDelay,
} from '#lib/client/retry/policy.js'
import {PolicyError} from '#lib/config/policy.js'
import {SetupError} from '#lib/platform/setup-error.js'
import type {QueuedCall} from './queue.js'

/** A failed call of a batch that is to be retried. */
export interface RetryVerdict {
  readonly item: QueuedCall
  readonly error: unknown
  readonly fault: FailureClass
  /** Milliseconds to wait. */
  readonly delay: number
}

/**
 * Decides by the retry policy whether a call of a batch is retried; otherwise returns its outcome.
 * `hasProgressed` means that other calls of the batch succeeded, so a rate limit only delays this one.
 */
export function verdictOn(
  item: QueuedCall,
  outcome: Outcome,
  retrying: Retrying | undefined,
  {now, random, hasProgressed}: {now: number; random: number; hasProgressed: boolean},
): Outcome | RetryVerdict {
  if (!('error' in outcome)) return outcome
  const {error} = outcome
  if (item.isDoubtful && item.operation.httpMethod === 'DELETE' && isNotFound(error)) {
    return {record: undefined}
  }
  if (!retrying) return outcome
  const fault = classifyFailure(error)
  const isAnew = hasProgressed && fault.kind === 'rate'
  const state = {
    repeat: item.repeat,
    persistent: false,
    attempt: isAnew ? 1 : item.attempt,
    elapsed: isAnew ? 0 : now - (item.since ?? now),
    random,
  }
  const delay = nextDelay(fault, state, {...DEFAULT_LIMITS, ...retrying})
  if (delay === undefined) return outcome
  const next: QueuedCall = {
    ...item,
    attempt: state.attempt + 1,
    since: now - state.elapsed,
    isDoubtful: item.isDoubtful || fault.kind === 'service' || fault.kind === 'broken',
    error,
  }
  return {item: next, error, fault, delay}
}

/** System errors that every other file would hit too: a full disk, or the limit on open files. */
const DISK: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE'])
/** HTTP status of a service without storage space (507). */
const FULL = 507
/** Reasons that apply to every other file too. */
const LIMITS: ReadonlySet<string> = new Set(['storageQuotaExceeded', 'dailyLimitExceeded'])

/**
 * Whether an error ends the whole run: the token was refused, a policy refused a change, the user is locked out, a disk, account or
 * service is full, or the reader of the output is gone. Other errors concern one item only.
 */
export function endsAll(error: unknown): boolean {
  if (error instanceof SetupError || error instanceof PolicyError || refusesToken(error))
    return true
  if (error instanceof ServiceError) {
    return error.status === FULL || LIMITS.has(error.reason)
  }
  const {code, cause} = error as NodeJS.ErrnoException
  // A broken connection would be in the cause of another error.
  if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') return true
  return DISK.has(code ?? '') || DISK.has((cause as NodeJS.ErrnoException | undefined)?.code ?? '')
}

/** Number of consecutive items without a response after which the service counts as unreachable. */
const SILENT = 3

/**
 * Judges each failure of a run: whether it ends the run. A service that does not respond for several
 * items in a row counts as unreachable.
 */
export function createJudge() {
  let silent = 0
  return {
    succeeded(): void {
      silent = 0
    },
    /** Whether this error ends the run. */
    failed(error: unknown): boolean {
      silent = error instanceof NetworkError ? silent + 1 : 0
      return endsAll(error) || silent >= SILENT
    },
  }
}

/** Whether an error or its cause is temporary. */
export function isRetryable(error: unknown): boolean {
  const {cause} = error as Error
  return isTemporary(error) || isTemporary(cause)
}
