import {stateFile, timeFormat} from '#lib/platform/state-file.js'
import type {Limiter} from './attempts.js'

/**
 * A pause shared by all processes of this machine that ask the same service for the same profile:
 * a small file that says until when to wait. Who cannot read or write it goes on without.
 */

export interface LimiterOptions {
  /** One for each profile and service. */
  readonly file: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly sleep: (milliseconds: number) => Promise<void>
  /** A number from 0 to 1. */
  readonly random: () => number
}

/** A pause that ends later than this many milliseconds from now is a mistake, or a clock's. */
const LONGEST = 15 * 60_000
/** Those who waited together begin again within so many milliseconds, not all at once. */
const SPREAD = 500

export function createLimiter(options: LimiterOptions): Limiter {
  const {file, now, sleep, random} = options
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
