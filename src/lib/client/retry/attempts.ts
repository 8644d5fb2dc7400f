import {stateFile, timeFormat} from '#lib/platform/state-file.js'
import {
  classifyFailure,
  type FailureClass,
  nextDelay,
  type Repeat,
  type RetryLimits,
} from './policy.js'

/** What is tried again, and when, lives here. What is sent belongs to the rooms around it. */

/** What retrying needs of the world; whoever gives none sends each request once. */
export interface Retrying extends Partial<RetryLimits> {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Waits so many milliseconds; rejects when the command ends before. */
  readonly sleep: (milliseconds: number) => Promise<void>
  /** A number from 0 to 1. */
  readonly random: () => number
  /** What all processes that work for one account wait for. */
  readonly limiter?: Limiter
  /** Hears of each failure that is tried again. */
  readonly onRetry?: (error: unknown, delay: number, attempt: number) => void
}

/** A pause that is told to everybody who asks the same service for the same account. */
export interface Limiter {
  /** Resolves when nobody has been told to wait any more. */
  ready(): Promise<void>
  /** Tells all to wait for so many milliseconds from now. */
  pause(milliseconds: number): Promise<void>
}

export interface Attempt {
  /** 1 for the first one. */
  readonly attempt: number
  /** An earlier attempt may have been carried out, though its answer never came. */
  readonly isDoubtful: boolean
}

export const DEFAULT_LIMITS: RetryLimits = {attempts: 6, total: 600_000}

export interface AttemptOptions {
  readonly repeat: Repeat
  /** Holds on to a service that cannot be reached, because it answered before. */
  readonly persistent?: boolean
  /** The most attempts, where that is fewer than the policy has. */
  readonly attempts?: number
}

/**
 * Calls `work` until it succeeds or the policy gives up, with the last error. Where `work` calls
 * `progressed`, the count of attempts and the time start anew: a long transfer may have many faults.
 */
export async function withRetries<T>(
  retrying: Retrying | undefined,
  {repeat, persistent = false, attempts = Infinity}: AttemptOptions,
  work: (attempt: Attempt, progressed: () => void) => Promise<T>,
): Promise<T> {
  if (!retrying) return work({attempt: 1, isDoubtful: false}, () => undefined)
  const {now, sleep, random, limiter, onRetry} = retrying
  const policy = {...DEFAULT_LIMITS, ...retrying}
  const limits = {...policy, attempts: Math.min(policy.attempts, attempts)}
  let started = now()
  let attempt = 0
  let isDoubtful = false
  let hasProgressed = false
  const progressed = () => {
    hasProgressed = true
  }
  for (;;) {
    attempt += 1
    try {
      await limiter?.ready()
      return await work({attempt, isDoubtful}, progressed)
    } catch (error) {
      const fault = classifyFailure(error)
      if (hasProgressed) {
        started = now()
        attempt = 1
      }
      const state = {
        repeat,
        persistent: persistent || hasProgressed,
        attempt,
        elapsed: now() - started,
        random: random(),
      }
      const delay = nextDelay(fault, state, limits)
      if (delay === undefined) throw error
      hasProgressed = false
      if (fault.kind === 'renewed') {
        attempt -= 1
        continue
      }
      onRetry?.(error, delay, attempt)
      isDoubtful ||= fault.kind === 'service' || fault.kind === 'broken'
      if (limiter && isForAll(fault)) await limiter.pause(delay)
      await sleep(delay)
    }
  }
}

/** Whether a fault concerns everybody: the service said so, or named a time. */
export function isForAll(fault: FailureClass): boolean {
  return fault.kind === 'rate' || (fault.kind === 'service' && fault.retryAfter !== undefined)
}

/** A pause that ends later than this many milliseconds from now is a mistake, or a clock's. */
const LONGEST = 15 * 60_000
/** Those who waited together begin again within so many milliseconds, not all at once. */
const SPREAD = 500

/**
 * A pause shared by all processes of this machine for one service and profile: a small file that says until when to
 * wait. A process that cannot read or write it goes on without.
 */
export function createLimiter({
  file,
  now,
  sleep,
  random,
}: Pick<Retrying, 'now' | 'sleep' | 'random'> & {readonly file: string}): Limiter {
  const note = stateFile({file, ...timeFormat})

  function until(): number {
    const time = note.read() ?? 0
    return time - now() <= LONGEST ? time : 0
  }

  return {
    async ready() {
      for (let end = until(); end > now(); end = until()) {
        await sleep(end - now() + Math.ceil(SPREAD * random()))
      }
    },
    async pause(milliseconds) {
      const end = Math.ceil(now() + Math.min(milliseconds, LONGEST))
      if (until() >= end) return
      // The pause is a courtesy: this process waits in any case.
      await note.tryWrite(end)
    },
  }
}
