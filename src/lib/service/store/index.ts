import {randomBytes} from 'node:crypto'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {type ContentStore, openContentStore} from './content/content.js'
import {openMemoryContent} from './content/memory.js'
import {withSmallContent} from './content/small.js'
import {
  CONTENT,
  inspectDirectory,
  prepareDirectory,
  validateDatabase,
  writeMark,
} from './database/data-directory.js'
import {type Database, databaseIn, openDatabase, openMemoryDatabase} from './database/database.js'
import {
  freeSpaceIn,
  requireFiles,
  translateErrors,
  translateErrorsOf,
  unfinishedName,
} from './database/disk.js'
import {layouts} from './database/layout.js'
import {type DatabaseSnapshot, snapshotDatabase} from './database/snapshot.js'
import {newOpaqueId, type Random} from './ids.js'

/** The state of one data directory: its database and its content files. */
export interface Store extends Database {
  readonly directory: string
  readonly content: ContentStore
  readonly random: Random
  /** Free space of the disk in bytes; `Infinity` if it is unknown. */
  readonly freeSpace: () => number
  /** Runs a write that may share a transaction with others. */
  readonly writeTogether: WriteTogether
}

interface Opening {
  /** Injected by tests. */
  readonly random?: Random
  /** Injected by tests. */
  readonly freeSpace?: () => number
  /** Receives notices for the user, as complete sentences. */
  readonly notice?: (text: string) => void
}

/** Opens a data directory and creates it if it is missing. Throws `DataError` if it cannot be used, now or in later calls. */
export function openStore(directory: string, opening: Opening = {}): Store {
  requireFiles(directory)
  prepareDirectory(directory)
  return translateErrors(directory, () => open(directory, opening))
}

function open(directory: string, opening: Opening): Store {
  const {random = randomBytes, notice = () => undefined} = opening
  const {freeSpace = () => freeSpaceIn(directory)} = opening
  const found = inspectDirectory(directory)
  const database = translateErrorsOf(
    directory,
    openDatabase(directory, layouts, unwritten => validateDatabase(found, unwritten)),
  )
  try {
    const id = directoryId(database, found.mark ?? newOpaqueId(random))
    if (found.mark === undefined) {
      writeMark(directory, id, unfinishedName(newOpaqueId(random)))
    } else if (!found.hasDatabase) {
      notice(`The database drv.db was missing from ${directory}. Created a new, empty one.`)
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

/** A store in memory. */
export interface MemoryStore extends Store {
  /** Copies the state. Returns the function that restores it, as often as needed. */
  snapshot(): () => void
}

/** Opens an empty store in memory. More than `contentLimit` bytes of content go to a private temporary folder. */
export function openMemoryStore({
  random = randomBytes,
  freeSpace = () => Infinity,
  contentLimit,
}: Opening & {readonly contentLimit?: number} = {}): MemoryStore {
  const directory = tmpdir()
  const database = translateErrorsOf(directory, openMemoryDatabase(layouts))
  const memory = openMemoryContent(random, contentLimit)
  const snapshots: DatabaseSnapshot[] = []
  return {
    ...database,
    directory,
    content: withSmallContent(memory.store, database, 'memory', random),
    random,
    freeSpace,
    writeTogether: createWriteTogether(database),
    snapshot() {
      const rows = snapshotDatabase(database)
      snapshots.push(rows)
      const restoreContent = memory.snapshot()
      return () => {
        rows.restore()
        restoreContent()
      }
    },
    close() {
      for (const rows of snapshots) rows.close()
      database.close()
      memory.close()
    },
  }
}

/** The ID of the data directory in the database; sets it to `fresh` if it is missing. */
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

type GroupedDatabase = Pick<Database, 'writeAhead' | 'part' | 'sync' | 'turn'>

/** Runs `work` in a transaction that other writes may share. Resolves when it is on disk. */
export type WriteTogether = <T>(work: () => T) => Promise<T>

/** A write that waits for the next transaction. */
interface WaitingWrite {
  /** Does the work. Returns a function that settles its promise once the transaction is on disk. */
  attempt(): () => void
  fail(error: unknown): void
}

/**
 * Groups concurrent writes into one transaction, so that they wait for the disk once. The next group
 * is written meanwhile. Each write is atomic, even if others in the group fail. If the transaction
 * fails, all fail. If only the sync to disk fails, all fail as well, although they are committed.
 */
export function createWriteTogether(database: GroupedDatabase): WriteTogether {
  let waiting: WaitingWrite[] = []

  async function flush(): Promise<void> {
    for (let turn = database.turn(); turn; turn = database.turn()) await turn
    const group = waiting
    waiting = []
    try {
      const outcomes = database.writeAhead(() => group.map(({attempt}) => attempt()))
      await database.sync()
      for (const settle of outcomes) settle()
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
