import {afterRefusal, afterSuccess, firstPace, limitAhead} from '#lib/transfer/many/pace.js'

/** Runs work side by side, as much as the pace allows. */
export interface Pool {
  /**
   * Does `work` for each item, begun in their order. The first failure begins no more items, and is
   * thrown when all that run have ended.
   */
  each<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void>
  /** So many items will come soon: connections for the first of them are opened. */
  expect(count: number): void
  /** The service has said that there are too many requests. */
  refused(): void
}

export interface PoolOptions {
  /** Milliseconds. */
  readonly now: () => number
  /** Keeps to so many at once. */
  readonly width?: number
  /** Opens connections before they are needed, until there are so many. */
  readonly openAhead?: (count: number) => void
}

export function createPool({now, width, openAhead}: PoolOptions): Pool {
  let pace = firstPace(now(), width)
  let opened = 0
  const open = (count: number) => {
    if (count > opened) openAhead?.((opened = count))
  }
  return {
    refused() {
      pace = afterRefusal(pace, now())
    },

    expect: count => open(Math.min(count, pace.limit)),

    async each(items, work) {
      const all = [...items]
      let running = 0
      let failure: {readonly error: unknown} | undefined
      let wake = () => {}
      const change = () => new Promise<void>(resolve => (wake = resolve))
      const start = async (item: Parameters<typeof work>[0]) => {
        running += 1
        try {
          await work(item)
          pace = afterSuccess(pace, now())
        } catch (error) {
          failure ??= {error}
        }
        running -= 1
        wake()
      }
      for (const [index, item] of all.entries()) {
        while (running >= pace.limit && !failure) await change()
        if (failure) break
        void start(item)
        // Those that run have theirs.
        open(Math.min(running + all.length - index - 1, limitAhead(pace)))
      }
      while (running > 0) await change()
      if (failure) throw failure.error
    },
  }
}
