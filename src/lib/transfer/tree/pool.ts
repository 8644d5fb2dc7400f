import {afterRefusal, afterSuccess, firstPace} from './pace.js'

/** Runs work side by side, as much as the pace allows. */
export interface Pool {
  /**
   * Does `work` for each item, begun in their order. The first failure begins no more items, and is
   * thrown when all that run have ended.
   */
  each<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void>
  /** The service has said that there are too many requests. */
  refused(): void
}

/** `width` keeps to so many at once. `now` is in milliseconds. */
export function createPool(now: () => number, width?: number): Pool {
  let pace = firstPace(now(), width)
  return {
    refused() {
      pace = afterRefusal(pace, now())
    },

    async each(items, work) {
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
      for (const item of items) {
        while (running >= pace.limit && !failure) await change()
        if (failure) break
        void start(item)
      }
      while (running > 0) await change()
      if (failure) throw failure.error
    },
  }
}
