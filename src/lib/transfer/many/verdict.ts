import type {Outcome} from '#lib/client/client.js'
import {isNotFound} from '#lib/client/errors.js'
import {DEFAULT_LIMITS, type Retrying} from '#lib/client/retry/attempts.js'
import {classifyFailure, type FailureClass, nextDelay} from '#lib/client/retry/policy.js'
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
