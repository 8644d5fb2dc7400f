/** Tracks what a command is waiting for, to report it when it takes long or times out. */

/** Milliseconds of waiting after which the user is told. */
export const LONG_WAIT = 10_000

/** Maximum milliseconds between two steps of a series. */
const GAP = 1000

/** One thing that a command is waiting for. */
export interface Wait {
  /** Starts the wait again: data arrived, or waiting continues. */
  renew(): void
  /** Suspends the wait until `renew`, while drv itself is busy. */
  pause(): void
  end(): void
}

/** Runs one step of a series, such as the request for a page of a list. */
export type TimedStep = <T>(work: () => Promise<T>) => Promise<T>

export interface Waits {
  /** Starts a wait; `what` completes "waiting for". */
  begin(what: () => string): Wait
  /** Steps in sequence or parallel as one wait, from the end of the first until a pause of a second or `shown`. */
  series(what: () => string): TimedStep
  /** Restarts every series, because the user has seen a result. */
  shown(): void
  /** The oldest wait; `undefined` if nothing is pending. */
  longest(): string | undefined
}

interface Waiting {
  readonly what: () => string
  /** `undefined` while paused. */
  since?: number
  isTold: boolean
}

/**
 * Calls `tell` with the name and duration (in milliseconds) of each wait that takes ten seconds or longer. Reports
 * simultaneous waits once. `later` runs a function after a delay in milliseconds.
 */
export function createWaits({
  now,
  later = (milliseconds, work) => void setTimeout(work, milliseconds).unref(),
  tell,
}: {
  /** Milliseconds since any fixed time. */
  readonly now: () => number
  readonly later?: (milliseconds: number, work: () => void) => void
  readonly tell: (what: string, milliseconds: number) => void
}): Waits {
  const all = new Set<Waiting>()
  const resets: Array<() => void> = []
  let isLooking = false

  const waiting = () =>
    [...all]
      .flatMap(entry => (entry.since === undefined ? [] : [{entry, since: entry.since}]))
      .sort((a, b) => a.since - b.since)

  function look(milliseconds: number): void {
    if (isLooking) return
    isLooking = true
    later(milliseconds, () => {
      isLooking = false
      const [first, ...others] = waiting().filter(({entry}) => !entry.isTold)
      if (!first) return
      const time = now()
      if (time - first.since < LONG_WAIT) return look(first.since + LONG_WAIT - time)
      tell(first.entry.what(), time - first.since)
      for (const {entry, since} of [first, ...others]) entry.isTold = time - since >= LONG_WAIT
      // Waits that become due later are told together too.
      if (others.some(({entry}) => !entry.isTold)) look(LONG_WAIT)
    })
  }

  return {
    begin(what) {
      const entry: Waiting = {what, isTold: false}
      const renew = () => {
        entry.since = now()
        entry.isTold = false
        look(LONG_WAIT)
      }
      all.add(entry)
      renew()
      return {
        renew,
        pause: () => {
          entry.since = undefined
        },
        end: () => void all.delete(entry),
      }
    },
    series(what) {
      const entry: Waiting = {what, isTold: false}
      all.add(entry)
      let underWay = 0
      /** When the first step ended; `undefined` if none has ended since the series restarted. */
      let began: number | undefined
      let ended = 0
      const reset = () => {
        began = undefined
        entry.since = undefined
        entry.isTold = false
      }
      resets.push(reset)
      return async work => {
        if (underWay === 0 && now() - ended > GAP) reset()
        underWay += 1
        entry.since = began
        if (began !== undefined) look(Math.max(0, began + LONG_WAIT - now()))
        try {
          return await work()
        } finally {
          underWay -= 1
          ended = now()
          began ??= ended
          entry.since = underWay > 0 ? began : undefined
        }
      }
    },
    shown() {
      for (const reset of resets) reset()
    },
    longest: () => waiting()[0]?.entry.what(),
  }
}
