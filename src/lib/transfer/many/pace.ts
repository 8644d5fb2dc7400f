/**
 * Adapts the number of concurrent transfers: more while the service keeps up, half as many after a
 * rate limit. Pure.
 *
 * It measures windows of several transfers. For one window it tries a higher limit; if throughput grows
 * enough, the limit stays and an even higher one is tried, otherwise it returns to the old limit for a
 * while. At first a window is one round trip, until a higher limit brings nothing or the service refuses.
 */

export interface Pace {
  /** Maximum number of concurrent transfers now. */
  readonly limit: number
  readonly most: number
  /** Transfers completed since the window began. */
  readonly done: number
  /** Start of the window, in milliseconds. */
  readonly since: number
  /** The limit known to be useful; lower than `limit` while a higher one is tried. */
  readonly proven: number
  /** Transfers per millisecond at the proven limit. */
  readonly rate: number
  /** Number of windows until a higher limit is tried. */
  readonly rest: number
  /** Factor for trying a higher limit. */
  readonly growth: number
  /** Size of a window, in multiples of the limit. */
  readonly rounds: number
  /** Time when the limit was last halved, in milliseconds. */
  readonly halvedAt: number
}

const FIRST = 16
const MOST = 64
/** Small windows at first to find the limit quickly, larger ones later to measure reliably. */
const ROUNDS = {first: 1, later: 4}
/** Minimum gain for keeping a higher limit, as a fraction of the ideal gain. */
const WORTH = 0.4
/** Number of windows between two attempts at a higher limit. */
const REST = 8
/** Growth factors: smaller after a refusal. */
const GROWTH = {bold: 2, careful: 1.25}
/** Milliseconds within which several refusals count as one, since they answer earlier requests. */
const BURST = 1000

/** The initial pace; with `fixed` only the service can lower the limit. */
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

/** The pace after a successful transfer. */
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

/** The pace after the service refused a request because of a rate limit. */
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

/** The limit that may apply soon, if all goes well. */
export function limitAhead(pace: Pace): number {
  return pace.rest > 0 ? pace.limit : raised(pace)
}

function raised({limit, most, growth}: Pace): number {
  return Math.min(most, Math.ceil(limit * growth))
}
