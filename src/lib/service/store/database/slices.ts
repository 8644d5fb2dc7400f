import {setImmediate} from 'node:timers/promises'

/** What long work says between two slices: whether what was done may be committed (`standsAlone`) or not (`goesOn`). */
export type Pause = 'goesOn' | 'standsAlone'

/** Long work on the database, a slice for each step. */
export type Slices<T = void> = Generator<Pause, T, undefined>

/** Number of items that one slice handles: some milliseconds of work. */
export const SLICE = 100

/** Calls `work` with up to `SLICE` items at a time, and pauses between two calls. */
export function* inSlices<Item>(
  items: readonly Item[],
  work: (some: readonly Item[]) => void,
): Slices {
  for (let start = 0; start < items.length; start += SLICE) {
    if (start > 0) yield 'goesOn'
    work(items.slice(start, start + SLICE))
  }
}

/** Does all slices at once. Returns their result. */
export function drain<T>(slices: Slices<T>): T {
  for (;;) {
    const step = slices.next()
    if (step.done) return step.value
  }
}

/** A connection, and whether a transaction is open on it. */
export interface Connection {
  readonly inTransaction: boolean
  exec(sql: string): void
}

/** Transactions that take long, one at a time, beside those of the connection that answers requests. */
export interface SlicedWrites<C> {
  /**
   * Does `work` in one transaction over a connection of its own, and lets the event loop turn
   * between two slices: meanwhile others read what was there before. Where a pause stands alone and
   * others wait to write, it commits and goes on in another transaction. Settles when all is on the
   * disk; an error undoes the transaction that is open.
   */
  write<T>(work: (connection: C) => Slices<T>): Promise<T>
  /** Whether a transaction is open, so that nobody else can write. */
  readonly isOpen: boolean
  /** Settles when others can write; `undefined` where they can now. */
  turn(): Promise<void> | undefined
  /** Lets a caller that cannot wait write: does slices until the open transaction is committed. */
  release(): void
}

/** `open` returns a connection that nothing else uses, and `sync` puts what it wrote on the disk. */
export function createSlicedWrites<C extends Connection>(
  open: () => C,
  sync: Sync,
): SlicedWrites<C> {
  let last: Promise<unknown> = Promise.resolve()
  let release: (() => void) | undefined
  const waiting: (() => void)[] = []

  async function perform<T>(work: (connection: C) => Slices<T>): Promise<T> {
    const connection = open()
    let slices: Slices<T> | undefined
    let outcome: {value: T} | {error: unknown} | undefined

    /** Ends the transaction, so that others can write. */
    function end(how: 'COMMIT' | 'ROLLBACK'): void {
      if (connection.inTransaction) connection.exec(how)
      release = undefined
      for (const go of waiting.splice(0)) go()
    }

    /** Does one slice; `commits` also where the work is not at its end. */
    function advance(commits: boolean): void {
      try {
        if (!connection.inTransaction) connection.exec('BEGIN IMMEDIATE')
        release = () => {
          while (connection.inTransaction) advance(true)
        }
        slices ??= work(connection)
        const step = slices.next()
        if (step.done || (commits && step.value === 'standsAlone')) end('COMMIT')
        if (step.done) outcome = {value: step.value}
      } catch (error) {
        outcome = {error}
        end('ROLLBACK')
      }
    }

    while (!outcome) {
      advance(waiting.length > 0)
      await setImmediate()
    }
    if ('error' in outcome) throw outcome.error
    await sync()
    return outcome.value
  }

  return {
    write(work) {
      const done = last.then(() => perform(work))
      last = done.catch(() => undefined)
      return done
    },
    get isOpen() {
      return release !== undefined
    },
    turn: () => (release ? new Promise(resolve => waiting.push(resolve)) : undefined),
    release: () => release?.(),
  }
}

/** Puts on the disk what was written before the call; settles when it is there. */
export type Sync = () => Promise<void>

/** Lets all who ask while the disk is busy share the next turn; the one that has begun may have passed what they wrote. */
export function createSync(toDisk: () => Promise<void>): Sync {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  function begin(): Promise<void> {
    next = undefined
    const turn = toDisk().finally(() => {
      if (running === turn) running = undefined
    })
    running = turn
    return turn
  }

  return () => {
    if (!running) return begin()
    next ??= running.then(begin, begin)
    return next
  }
}
