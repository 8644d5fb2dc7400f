import {setImmediate} from 'node:timers/promises'

/** Reads a source ahead, one thing after the other, as far as it is wanted. */
export interface Reader {
  /** Reads on where that is wanted. */
  read(): void
  /** There is nothing more. */
  isDone(): boolean
  /** Nothing is at hand: the source was asked and takes its time, or nobody asks it. */
  isStalled(): boolean
  /** Tells the source that nobody reads on. */
  close(): void
}

/**
 * Turns of the event loop in which a source gives what it has at hand. A line of a pipe comes up in
 * one, and may go through hands on its way.
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
    /** Hears that something came, the source ended, or has nothing at hand. */
    readonly changed: () => void
    readonly failed: (error: unknown) => void
  },
): Reader {
  let isReading = false
  let isDone = false
  let isStalled = false
  let isWatched = false
  let count = 0

  /** Finds out whether the source has something at hand. */
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
      // One that waits for something ends when that comes.
      if (!isDone) void Promise.resolve(source.return?.()).catch(() => undefined)
      isDone = true
    },
  }
}
