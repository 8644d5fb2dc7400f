import type {Outcome} from '#lib/client/client.js'
import {isNotFound, NetworkError, refusesToken, ServiceError} from '#lib/client/errors.js'
import {DEFAULT_LIMITS, type Retrying} from '#lib/client/retry/attempts.js'
import {classifyFailure, type FailureClass, nextDelay} from '#lib/client/retry/policy.js'
import {SetupError} from '#lib/platform/setup-error.js'
import type {Waiting} from './queue.js'

/** What is to become of a call that failed as a part of a batch. */
export interface Again {
  readonly item: Waiting
  readonly error: unknown
  readonly fault: FailureClass
  /** Milliseconds. */
  readonly delay: number
}

/**
 * Whether a part of a batch is tried again, as the retry policy says for a request of its own; its
 * outcome where it is not. `hasProgressed`: others of the same batch were done, so that a refusal
 * for the rate only says that it was not this one's turn.
 */
export function verdictOn(
  item: Waiting,
  outcome: Outcome,
  retrying: Retrying | undefined,
  {now, random, hasProgressed}: {now: number; random: number; hasProgressed: boolean},
): Outcome | Again {
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
  const next: Waiting = {
    ...item,
    attempt: state.attempt + 1,
    since: now - state.elapsed,
    isDoubtful: item.isDoubtful || fault.kind === 'service' || fault.kind === 'broken',
    error,
  }
  return {item: next, error, fault, delay}
}

/** System errors after which every other file would fail too: a disk, or a limit on open files. */
const DISK: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE'])
/** A service that can keep nothing. */
const FULL = 507
/** Limits that hold for every other file too. */
const LIMITS: ReadonlySet<string> = new Set(['storageQuotaExceeded', 'dailyLimitExceeded'])

/**
 * Whether an error ends the whole run: the token was refused or its owner is locked out, the disk, the
 * account or the service is full, nobody reads the output any more. Any other concerns one item alone.
 */
export function endsAll(error: unknown): boolean {
  if (error instanceof SetupError || refusesToken(error)) return true
  if (error instanceof ServiceError) {
    return error.status === FULL || LIMITS.has(error.reason)
  }
  const {code, cause} = error as NodeJS.ErrnoException
  // A connection that broke stands in the cause of another error.
  if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') return true
  return DISK.has(code ?? '') || DISK.has((cause as NodeJS.ErrnoException | undefined)?.code ?? '')
}

/** So many items in a row that nobody answered for mean that nobody is there. */
const SILENT = 3

/**
 * Judges the failures of a run as they come: says of each whether it ends all. A service that does
 * not answer for several items in a row is not there any more.
 */
export function createJudge() {
  let silent = 0
  return {
    succeeded(): void {
      silent = 0
    },
    /** Whether the run has to end because of this error. */
    failed(error: unknown): boolean {
      silent = error instanceof NetworkError ? silent + 1 : 0
      return endsAll(error) || silent >= SILENT
    },
  }
}

/** Whether the reason of an error, or what it goes back to, is one that passes. */
export function mayPass(error: unknown): boolean {
  const {cause} = error as Error
  return classifyFailure(error).kind !== 'final' || classifyFailure(cause).kind !== 'final'
}
