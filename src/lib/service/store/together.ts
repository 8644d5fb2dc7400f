import type {Database} from './database.js'

/** Does `work` in a transaction that others may share; settles when it is on the disk. */
export type WriteTogether = <T>(work: () => T) => Promise<T>

/** What is to be written next, and how whoever wants it hears of it. */
interface Waiting {
  /** Does the work; returns what to tell once it is on the disk, be it done or refused. */
  attempt(): () => void
  fail(error: unknown): void
}

/**
 * Joins writes that are asked for at the same time into one transaction, so that they wait for the
 * disk once and not one after the other. Each is done as a whole or not at all, whatever becomes of
 * the others; when the transaction itself fails, all of them do.
 */
export function createWriteTogether(database: Pick<Database, 'write' | 'part'>): WriteTogether {
  let waiting: Waiting[] = []

  function flush(): void {
    const group = waiting
    waiting = []
    let outcomes: (() => void)[]
    try {
      outcomes = database.write(() => group.map(({attempt}) => attempt()))
    } catch (error) {
      for (const {fail} of group) fail(error)
      return
    }
    for (const tell of outcomes) tell()
  }

  return work =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({
        attempt() {
          const outcome = database.part(work)
          return 'value' in outcome ? () => resolve(outcome.value) : () => reject(outcome.error)
        },
        fail: reject,
      })
    })
}
