import {randomBytes} from 'node:crypto'
import {join} from 'node:path'
import {type ContentStore, openContentStore} from './content/content.js'
import {withSmallContent} from './content/small.js'
import {admit, CONTENT, lookAt, prepareDirectory, writeMark} from './database/data-directory.js'
import {type Database, databaseIn, openDatabase} from './database/database.js'
import {inWordsOf, requireFiles, roomIn, telling, unfinishedName} from './database/disk.js'
import {layouts} from './database/layout.js'
import {newOpaqueId, type Random} from './ids.js'

/** The state of one data directory: its database and its content files. */
export interface Store extends Database {
  readonly directory: string
  readonly content: ContentStore
  readonly random: Random
  /** Bytes that the disk still takes; `Infinity` where it does not say. */
  readonly freeSpace: () => number
  /** For writes that may share a transaction with others. */
  readonly writeTogether: WriteTogether
}

interface Opening {
  /** Injected by tests. */
  readonly random?: Random
  /** Injected by tests. */
  readonly freeSpace?: () => number
  /** Hears, in a whole sentence, what the user of the data should know. */
  readonly notice?: (text: string) => void
}

/** Opens a data directory, which is made where it is missing. Throws `DataError` for one that cannot be used, also later on. */
export function openStore(directory: string, opening: Opening = {}): Store {
  requireFiles(directory)
  prepareDirectory(directory)
  return telling(directory, () => open(directory, opening))
}

function open(directory: string, opening: Opening): Store {
  const {random = randomBytes, notice = () => undefined} = opening
  const {freeSpace = () => roomIn(directory)} = opening
  const found = lookAt(directory)
  const database = inWordsOf(
    directory,
    openDatabase(directory, layouts, unwritten => admit(found, unwritten)),
  )
  try {
    const id = directoryId(database, found.mark ?? newOpaqueId(random))
    if (found.mark === undefined) {
      writeMark(directory, id, unfinishedName(newOpaqueId(random)))
    } else if (!found.hasDatabase) {
      notice(`The data directory ${directory} had lost its database drv.db: a new one was made.`)
    }
    const files = openContentStore(join(directory, CONTENT), random)
    const content = withSmallContent(files, database, databaseIn(directory), random)
    const writeTogether = createWriteTogether(database)
    return {...database, directory, content, random, freeSpace, writeTogether}
  } catch (error) {
    database.close()
    throw error
  }
}

/** The ID that the database has for its directory; `fresh` where it has none yet. */
function directoryId({get, run, write}: Database, fresh: string): string {
  const known = () => get<{id: string}>('SELECT id FROM data_directory')?.id
  return (
    known() ??
    write(() => {
      run('INSERT OR IGNORE INTO data_directory (key, id) VALUES (1, :fresh)', {fresh})
      return known()!
    })
  )
}

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
