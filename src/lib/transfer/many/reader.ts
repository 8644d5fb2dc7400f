import {setImmediate} from 'node:timers/promises'

/** Reads a source ahead, item by item, while more is wanted. */
export interface Reader {
  /** Reads on if more is wanted. */
  read(): void
  /** Whether the source has ended. */
  isDone(): boolean
  /** Whether the source has nothing available now, or is not being read. */
  isStalled(): boolean
  /** Stops reading and closes the source. */
  close(): void
}

/**
 * Event loop turns within which a source returns an available item. A line from a pipe takes one turn,
 * plus those of any generators in between.
 */
const TURNS = 3

export function createReader<T>(
  source: AsyncIterator<T>,
  {
    isWanted,
    accept,
    changed,
    failed,
  }: {
    readonly isWanted: () => boolean
    readonly accept: (item: T) => void
    /** Called when an item came, the source ended, or has nothing available. */
    readonly changed: () => void
    readonly failed: (error: unknown) => void
  },
): Reader {
  let isReading = false
  let isDone = false
  let isStalled = false
  let isWatched = false
  let count = 0

  /** Checks whether the source has an item available. */
  async function watch(): Promise<void> {
    isWatched = true
    const before = count
    for (let turn = 0; turn < TURNS && count === before && !isDone; turn++) await setImmediate()
    isWatched = false
    isStalled = isReading && count === before
    if (isStalled) changed()
    else if (isReading) void watch()
  }

  async function next(): Promise<void> {
    try {
      const {done, value} = await source.next()
      count += 1
      isReading = isStalled = false
      if (done) isDone = true
      else accept(value)
      changed()
    } catch (error) {
      isReading = false
      isDone = true
      failed(error)
    }
  }

  return {
    read() {
      if (isReading || isDone || !isWanted()) return
      isReading = true
      void next()
      if (!isWatched) void watch()
    },
    isDone: () => isDone,
    isStalled: () => isStalled || !isReading,
    close() {
      // A source that is waiting for an item ends when that comes.
      if (!isDone) void Promise.resolve(source.return?.()).catch(() => undefined)
      isDone = true
    },
  }
}
