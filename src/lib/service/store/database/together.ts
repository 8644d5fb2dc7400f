import type {Database} from './database.js'

/** The part of a database that this needs. */
type Together = Pick<Database, 'writeAhead' | 'part' | 'sync' | 'turn'>

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
 * disk once and not one after the other; the next group is written meanwhile. Each is done as a
 * whole or not at all, whatever becomes of the others. When the transaction fails, so do all of
 * them; when only its way to the disk fails, all hear of that, too, though they are written.
 */
export function createWriteTogether(database: Together): WriteTogether {
  let waiting: Waiting[] = []

  async function flush(): Promise<void> {
    for (let turn = database.turn(); turn; turn = database.turn()) await turn
    const group = waiting
    waiting = []
    try {
      const outcomes = database.writeAhead(() => group.map(({attempt}) => attempt()))
      await database.sync()
      for (const tell of outcomes) tell()
    } catch (error) {
      for (const {fail} of group) fail(error)
    }
  }

  return work =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(() => void flush())
      waiting.push({
        attempt() {
          const outcome = database.part(work)
          return 'value' in outcome ? () => resolve(outcome.value) : () => reject(outcome.error)
        },
        fail: reject,
      })
    })
}
