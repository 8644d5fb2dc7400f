import {setImmediate} from 'node:timers/promises'

/** A pause between two slices of long work: at a commit point, the transaction may be committed. */
export type Pause = 'continue' | 'commitPoint'

/** Long work on the database, one slice per step. */
export type Slices<T = void> = Generator<Pause, T, undefined>

/** Number of items in a slice, which takes a few milliseconds. */
export const SLICE = 100

/** Calls `work` with up to `SLICE` items at a time, and pauses between calls. */
export function* inSlices<Item>(
  items: readonly Item[],
  work: (some: readonly Item[]) => void,
): Slices {
  for (let start = 0; start < items.length; start += SLICE) {
    if (start > 0) yield 'continue'
    work(items.slice(start, start + SLICE))
  }
}

/** Runs all slices without a pause. Returns their result. */
export function runAllSlices<T>(slices: Slices<T>): T {
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

/** Long transactions, one at a time, on a separate connection from the one that serves requests. */
export interface SlicedWrites<C> {
  /**
   * Runs `work` in a transaction on its own connection. The event loop runs between slices, and
   * others read the state before the transaction. If others wait to write, it commits at the next
   * commit point and continues in a new transaction. Resolves when everything is on disk. An error
   * rolls back the current transaction.
   */
  write<T>(work: (connection: C) => Slices<T>): Promise<T>
  /** Whether a transaction is open, which blocks other writes. */
  readonly isOpen: boolean
  /** Resolves when others can write; `undefined` if they can write now. */
  turn(): Promise<void> | undefined
  /** Runs slices until the open transaction is committed, for a caller that cannot wait. */
  release(): void
}

/** `open` returns the separate connection, and `sync` flushes its changes to disk. */
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
    function end(statement: 'COMMIT' | 'ROLLBACK'): void {
      if (connection.inTransaction) connection.exec(statement)
      release = undefined
      for (const resolve of waiting.splice(0)) resolve()
    }

    /** Runs one slice. With `commits`, commits at a commit point, otherwise only at the end of the work. */
    function advance(commits: boolean): void {
      try {
        if (!connection.inTransaction) connection.exec('BEGIN IMMEDIATE')
        release = () => {
          while (connection.inTransaction) advance(true)
        }
        slices ??= work(connection)
        const step = slices.next()
        if (step.done || (commits && step.value === 'commitPoint')) end('COMMIT')
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

/**
 * Like `write` of `SlicedWrites`, for the only connection of a database, where others would see the
 * changes of an open transaction: commits at every commit point, and the event loop runs only then.
 */
export function createCommittingWrites<C extends {write<W>(work: () => W): W}>(
  connection: () => C,
): SlicedWrites<C>['write'] {
  let last: Promise<unknown> = Promise.resolve()

  async function perform<T>(work: (connection: C) => Slices<T>): Promise<T> {
    const slices = work(connection())
    for (;;) {
      const step = connection().write(() => {
        for (;;) {
          const next = slices.next()
          if (next.done || next.value === 'commitPoint') return next
        }
      })
      if (step.done) return step.value
      await setImmediate()
    }
  }

  return work => {
    const done = last.then(() => perform(work))
    last = done.catch(() => undefined)
    return done
  }
}

/** Flushes everything that was written before the call to disk. */
export type Sync = () => Promise<void>

/** Creates a `Sync`. Calls during a flush share the next one, since the current one may miss their changes. */
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
