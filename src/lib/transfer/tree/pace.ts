/**
 * How many transfers run at once: more while the service keeps up, half as many when it says that
 * there are too many requests. Pure.
 */

export interface Pace {
  /** How many may run now. */
  readonly limit: number
  readonly most: number
  /** Ended since the window began. */
  readonly done: number
  /** When the window began, in milliseconds. */
  readonly since: number
  /** The best rate of a window so far, in transfers a millisecond. */
  readonly best: number
  /** Each doubling has paid so far, so the limit may double again. */
  readonly isStarting: boolean
  /** When it was last halved. */
  readonly halvedAt: number
}

const FIRST = 4
const MOST = 32
/** A window is so many rounds of the limit: fewer would measure chance. */
const ROUNDS = 4
/** More transfers at once must bring so much more to be worth it. */
const WORTH = 1.05
/** Twice as many must bring nearly twice as much for the limit to double once more. */
const WORTH_DOUBLING = 1.6
/** The best rate loses so much weight with each window, so that more is tried again some day. */
const FADING = 0.97
/** Refusals within so many milliseconds are one: they answer requests that were on their way. */
const BURST = 1000

/** The pace at the start; `fixed` keeps the limit, though the service can still lower it. */
export function firstPace(now: number, fixed?: number): Pace {
  return {
    limit: fixed ?? FIRST,
    most: fixed ?? MOST,
    done: 0,
    since: now,
    best: 0,
    isStarting: fixed === undefined,
    halvedAt: -Infinity,
  }
}

/** A transfer has ended well. */
export function afterSuccess(pace: Pace, now: number): Pace {
  const done = pace.done + 1
  if (done < pace.limit * ROUNDS || now <= pace.since) return {...pace, done}
  const rate = done / (now - pace.since)
  const isBetter = rate > pace.best * WORTH
  const isStarting = pace.isStarting && rate > pace.best * WORTH_DOUBLING
  const step = isStarting ? pace.limit : 1
  return {
    ...pace,
    done: 0,
    since: now,
    limit: isBetter ? Math.min(pace.most, pace.limit + step) : pace.limit,
    best: Math.max(rate, pace.best * FADING),
    isStarting,
  }
}

/** The service has refused a request because there were too many. */
export function afterRefusal(pace: Pace, now: number): Pace {
  if (now - pace.halvedAt < BURST) return pace
  return {
    ...pace,
    limit: Math.max(1, Math.floor(pace.limit / 2)),
    done: 0,
    since: now,
    best: 0,
    isStarting: false,
    halvedAt: now,
  }
}
