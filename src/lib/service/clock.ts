/** Thrown for a time in the past of the clock. */
export class ClockError extends Error {
  constructor(
    /** The time of the clock, in Unix ms. */
    readonly now: number,
  ) {
    super(`The clock cannot move back: it is already at ${new Date(now).toISOString()}.`)
    this.name = 'ClockError'
  }
}

/** The clock of a service. It runs as fast as its source, and can be moved forward. */
export interface ServiceClock {
  /** Unix ms. */
  now(): number
  /** Moves the clock to a time in Unix ms, or to that of the system. Throws `ClockError` for a time in its past. */
  moveTo(time: number | 'real'): void
  /** How far the clock is ahead of its source, in ms. */
  offset(): number
  /** Sets that, also to less. */
  reset(offset?: number): void
}

/** Creates a clock with a source in Unix ms. */
export function createClock(source: () => number, system: () => number = Date.now): ServiceClock {
  let offset = 0
  const now = () => source() + offset
  return {
    now,
    moveTo(time) {
      const change = (time === 'real' ? system() : time) - now()
      if (change < 0) throw new ClockError(now())
      offset += change
    },
    offset: () => offset,
    reset(to = 0) {
      offset = to
    },
  }
}
