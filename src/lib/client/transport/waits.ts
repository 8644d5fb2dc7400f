/** What a command waits for: told to a person when it takes long, and named when time runs out. */

/** Milliseconds of waiting after which somebody is told. */
export const LONG = 10_000

/** Milliseconds between two steps of a series that still are one wait. */
const GAP = 1000

/** Something that is waited for. */
export interface Wait {
  /** A sign of life came, or it is waited for again: it begins anew. */
  renew(): void
  /** It is our own turn: nothing is waited for until `renew`. */
  pause(): void
  end(): void
}

/** Does one step of a series, such as the request for a page of a list. */
export type Step = <T>(work: () => Promise<T>) => Promise<T>

export interface Waits {
  /** Something is waited for from now on; `what` completes "waiting for". */
  begin(what: () => string): Wait
  /** Steps one after another or side by side are one wait, from the end of the first to a pause of a second, or `shown`. */
  series(what: () => string): Step
  /** The person got to see a result: every series begins anew. */
  shown(): void
  /** What has been waited for the longest; `undefined` where nothing is. */
  longest(): string | undefined
}

interface Waiting {
  readonly what: () => string
  /** `undefined` while it is paused. */
  since?: number
  isTold: boolean
}

/**
 * Calls `tell` with what is waited for and for how many milliseconds once that takes ten seconds: once for all that
 * waits together, once for each wait or series. `later` runs its work after that many milliseconds.
 */
export function createWaits({
  now,
  later = (milliseconds, work) => void setTimeout(work, milliseconds).unref(),
  tell,
}: {
  /** Milliseconds since any time. */
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
      if (time - first.since < LONG) return look(first.since + LONG - time)
      tell(first.entry.what(), time - first.since)
      for (const {entry, since} of [first, ...others]) entry.isTold = time - since >= LONG
      // What is overdue later on is told together as well.
      if (others.some(({entry}) => !entry.isTold)) look(LONG)
    })
  }

  return {
    begin(what) {
      const entry: Waiting = {what, isTold: false}
      const renew = () => {
        entry.since = now()
        entry.isTold = false
        look(LONG)
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
      /** When the first step ended; `undefined` where none has since the series began anew. */
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
        if (began !== undefined) look(Math.max(0, began + LONG - now()))
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
