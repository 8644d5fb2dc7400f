/** What a command waits for: told to a person when it takes long, and named when time runs out. */

/** Milliseconds of waiting after which somebody is told. */
export const LONG = 10_000

/** Something that is waited for. */
export interface Wait {
  /** A sign of life came, or it is waited for again: it begins anew. */
  renew(): void
  /** It is our own turn: nothing is waited for until `renew`. */
  pause(): void
  end(): void
}

export interface Waits {
  /** Something is waited for from now on; `what` completes "waiting for". */
  begin(what: () => string): Wait
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
 * Calls `tell` with what is waited for, and for how many milliseconds, when that takes ten seconds;
 * once for all that waits at the same time, and for each wait at most once. `later` calls its work
 * after so many milliseconds, unless the process ends before.
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
    longest: () => waiting()[0]?.entry.what(),
  }
}
