/**
 * How many transfers run at once: more while the service keeps up, half as many when it says that
 * there are too many requests. Pure.
 *
 * It works in windows of some transfers. More are tried for a window; where these get much more
 * done, the new limit stays and still more are tried, else it goes back and waits for a while. At
 * first a window is one round trip, until more bring nothing or the service refuses.
 */

export interface Pace {
  /** How many may run now. */
  readonly limit: number
  readonly most: number
  /** Ended since the window began. */
  readonly done: number
  /** When the window began, in milliseconds. */
  readonly since: number
  /** The limit that is known to be worth it; smaller than `limit` in a window that tries more. */
  readonly proven: number
  /** Transfers a millisecond at that limit. */
  readonly rate: number
  /** Windows until more are tried. */
  readonly rest: number
  /** How many times as many are tried. */
  readonly growth: number
  /** A window is so many rounds of the limit. */
  readonly rounds: number
  /** When it was last halved. */
  readonly halvedAt: number
}

const FIRST = 16
const MOST = 64
/** Rounds of a window: fewer than the later ones would measure chance, but find the limit soon. */
const ROUNDS = {first: 1, later: 4}
/** What more transfers bring, of what they would bring at best, for the new limit to stay. */
const WORTH = 0.4
/** Windows between two attempts to do more. */
const REST = 8
/** Whoever was refused once comes back to that limit in smaller steps. */
const GROWTH = {bold: 2, careful: 1.25}
/** Refusals within so many milliseconds are one: they answer requests that were on their way. */
const BURST = 1000

/** The pace at the start; `fixed` keeps the limit, though the service can still lower it. */
export function firstPace(now: number, fixed?: number): Pace {
  const limit = fixed ?? FIRST
  return {
    limit,
    most: fixed ?? MOST,
    done: 0,
    since: now,
    proven: limit,
    rate: 0,
    rest: 0,
    growth: GROWTH.bold,
    rounds: ROUNDS.first,
    halvedAt: -Infinity,
  }
}

/** A transfer has ended well. */
export function afterSuccess(pace: Pace, now: number): Pace {
  const done = pace.done + 1
  if (done < pace.limit * pace.rounds || now <= pace.since) return {...pace, done}
  const rate = done / (now - pace.since)
  const window = {...pace, done: 0, since: now}
  const {limit, proven, rest} = pace
  if (limit > proven && rate < pace.rate * (1 + (limit / proven - 1) * WORTH)) {
    return {...window, limit: proven, rest: REST, rounds: ROUNDS.later}
  }
  if (rest > 0) return {...window, rate, rest: rest - 1}
  return {...window, proven: limit, rate, limit: raised(pace)}
}

/** The service has refused a request because there were too many. */
export function afterRefusal(pace: Pace, now: number): Pace {
  if (now - pace.halvedAt < BURST) return pace
  const limit = Math.max(1, Math.floor(pace.limit / 2))
  return {
    ...pace,
    limit,
    done: 0,
    since: now,
    proven: limit,
    rest: REST,
    growth: GROWTH.careful,
    rounds: ROUNDS.later,
    halvedAt: now,
  }
}

/** How many may soon run, if all goes well. */
export function limitAhead(pace: Pace): number {
  return pace.rest > 0 ? pace.limit : raised(pace)
}

function raised({limit, most, growth}: Pace): number {
  return Math.min(most, Math.ceil(limit * growth))
}
