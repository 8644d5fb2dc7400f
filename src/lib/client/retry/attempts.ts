import {stateFile, timeFormat} from '#lib/platform/state-file.js'
import {
  classifyFailure,
  type FailureClass,
  nextDelay,
  type Repeat,
  type RetryLimits,
} from './policy.js'

/** Retries work and shares pauses between processes. `policy.ts` decides when to retry. */

/** The environment for retries. Without it each request is sent once. */
export interface Retrying extends Partial<RetryLimits> {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Waits that many milliseconds; rejects if the command is interrupted. */
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Returns a number from 0 to 1. */
  readonly random: () => number
  /** The pause shared by all processes of one account. */
  readonly limiter?: Limiter
  /** Called before each retry. */
  readonly onRetry?: (error: unknown, delay: number, attempt: number) => void
}

/** A pause shared by everyone who sends requests to one service for one account. */
export interface Limiter {
  /** Resolves when no pause is in effect. */
  ready(): Promise<void>
  /** Makes everyone wait that many milliseconds from now. */
  pause(milliseconds: number): Promise<void>
}

export interface Attempt {
  /** 1 for the first attempt. */
  readonly attempt: number
  /** Whether an earlier attempt may have been carried out although its response was lost. */
  readonly isDoubtful: boolean
}

export const DEFAULT_LIMITS: RetryLimits = {attempts: 6, total: 600_000}

export interface AttemptOptions {
  readonly repeat: Repeat
  /** Whether to keep retrying an unreachable service, because it responded before. */
  readonly persistent?: boolean
  /** Maximum number of attempts, if lower than the policy's. */
  readonly attempts?: number
}

/**
 * Calls `work` until it succeeds or the policy gives up, then throws the last error. When `work` calls
 * `progressed`, attempts and time start again at zero, since a long transfer may have many failures.
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
      if (delay === undefined) {
        if (isDoubtful) markDoubtful(error)
        throw error
      }
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

const doubtful = new WeakSet<object>()

/** Notes that an earlier attempt may have been carried out, although the last one ended with this error. */
export function markDoubtful(error: unknown): void {
  if (error instanceof Error) doubtful.add(error)
}

/** Whether a request that ended with this error may have been carried out by an earlier attempt. */
export function isDoubtfulFailure(error: unknown): boolean {
  return error instanceof Error && doubtful.has(error)
}

/** Whether a failure concerns all processes: a rate limit, or a response with a time to wait. */
export function isForAll(fault: FailureClass): boolean {
  return fault.kind === 'rate' || (fault.kind === 'service' && fault.retryAfter !== undefined)
}

/** Maximum pause in milliseconds; a longer one is a mistake or a clock change. */
const LONGEST = 15 * 60_000
/** Milliseconds within which waiting processes resume, so that they do not all start at once. */
const SPREAD = 500

/**
 * A pause shared by all processes of this machine for one service and profile: a state file with the time when it
 * ends. A process that cannot read or write the file ignores the pause.
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
      // Errors do not matter: this process waits in any case.
      await note.tryWrite(end)
    },
  }
}
