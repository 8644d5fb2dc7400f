import {opendirSync, readdirSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {DataError} from '#lib/api/dataerror.js'
import {printable} from '#lib/platform/sanitize.js'
import {type Database, databaseIn} from './database.js'
import {MARK, readMark} from './mark.js'

/** Where the content files of a data directory lie, and where what the database does not name goes. */
export const CONTENT = 'content'
export const LOST = 'lost+found'

/** What a data directory may have before it is one; file systems make a `lost+found` themselves. */
const OWN = new Set([
  ...['drv.db', 'counts.db'].flatMap(name => [
    name,
    `${name}-wal`,
    `${name}-shm`,
    `${name}-journal`,
  ]),
  ...[CONTENT, LOST, MARK],
])

const RESTORE =
  'To put a backup back, copy its drv.db there together with its drv.db-wal; where it has none, remove the one there. To start anew, move the directory away or use another one.'

/** What is in a directory that is to be used for data. */
interface Found {
  readonly directory: string
  /** The ID in the mark. */
  readonly mark?: string
  /** Names that no data directory has. */
  readonly others: readonly string[]
  readonly hasContent: boolean
  readonly hasDatabase: boolean
}

/** What is known of a database before anything is written to it. */
type Facts =
  /** No file. */
  | {readonly kind: 'missing'; readonly hasLog: boolean}
  /** Nothing in it, not even tables. */
  | {readonly kind: 'blank'; readonly hasLog: boolean}
  | {readonly kind: 'foreign'}
  /** `id` is that of its directory; there is none before the first start with marks. */
  | {readonly kind: 'ours'; readonly isEmpty: boolean; readonly id?: string}

/**
 * Looks at a directory before anything is written there. Throws `DataError` where it is plain already
 * that it cannot be used.
 *
 * Another process may be making the same directory: it makes the database first, with its ID, then
 * the mark and the content. So these are read in the opposite order, the database last.
 */
export function lookAt(directory: string): Found {
  const seen = {
    directory,
    mark: readMark(directory),
    others: namesIn(directory).filter(name => !OWN.has(name)),
    hasContent: hasEntries(join(directory, CONTENT)),
  }
  const hasLog = sizeOf(`${databaseIn(directory)}-wal`) > 0
  const size = sizeOf(databaseIn(directory))
  const found = {...seen, hasDatabase: size > 0}
  if (size <= 0) refuse(found, {kind: size < 0 ? 'missing' : 'blank', hasLog})
  return found
}

/** Looks at the database of a directory. Throws `DataError` where it cannot be used. */
export function admit(found: Found, database: Pick<Database, 'all' | 'get' | 'read'>): void {
  refuse(
    found,
    database.read(() => factsOf(database)),
  )
}

function factsOf(database: Pick<Database, 'all' | 'get'>): Facts {
  const rows = database.all<{name: string}>("SELECT name FROM sqlite_master WHERE type = 'table'")
  const tables = new Set(rows.map(({name}) => name))
  if (tables.size === 0) return {kind: 'blank', hasLog: false}
  if (!tables.has('users') || !tables.has('blobs')) return {kind: 'foreign'}
  const row = tables.has('data_directory')
    ? database.get<{id: string}>('SELECT id FROM data_directory')
    : undefined
  const used = database.get('SELECT 1 FROM users UNION ALL SELECT 1 FROM blobs LIMIT 1')
  return {kind: 'ours', isEmpty: used === undefined, id: row?.id}
}

/** Throws `DataError` for a directory that is not, and must not become, a data directory. */
function refuse({directory, mark, others, hasContent}: Found, database: Facts): void {
  const file = databaseIn(directory)
  switch (database.kind) {
    case 'foreign':
      throw new DataError(
        `The database ${file} belongs to another program.`,
        'Use another directory, or move that file away.',
      )
    case 'missing':
    case 'blank':
      if (mark === undefined && others.length > 0) {
        throw new DataError(
          `The directory ${directory} holds other things than the data of drv: ${listed(others)}.`,
          'Use an empty directory, or one that does not exist yet: it is made.',
        )
      }
      if (!hasContent && !database.hasLog) return
      throw new DataError(
        `The database ${file} ${database.kind === 'blank' ? 'is empty' : 'is missing'}, and ${hasContent ? `the content in ${join(directory, CONTENT)}` : `its log ${file}-wal`} is of no use without it.`,
        RESTORE,
      )
    case 'ours':
      if (database.isEmpty && hasContent) {
        throw new DataError(
          `The database ${file} is empty, and the content in ${join(directory, CONTENT)} is of no use without it.`,
          RESTORE,
        )
      }
      if (mark === undefined || database.id === undefined || database.id === mark) return
      throw new DataError(
        `The database ${file} is that of another data directory: its ID is ${database.id}, and the mark ${join(directory, MARK)} has ${mark}.`,
        'Put back the drv.db of this directory, or the mark that belongs to this drv.db.',
      )
  }
}

/** The first of some names of files, and how many more there are. */
export function listed(names: readonly string[]): string {
  const some = names.slice(0, 3).map(name => printable(name, 60))
  const rest = names.length - some.length
  return rest > 0 ? `${some.join(', ')} and ${rest} more` : some.join(', ')
}

function namesIn(directory: string): string[] {
  return orElse([], () => readdirSync(directory))
}

function hasEntries(directory: string): boolean {
  return orElse(false, () => {
    const entries = opendirSync(directory)
    try {
      return entries.readSync() !== null
    } finally {
      entries.closeSync()
    }
  })
}

/** -1 for a file that is not there. */
function sizeOf(path: string): number {
  return statSync(path, {throwIfNoEntry: false})?.size ?? -1
}

/** What `look` sees, or `nothing` where there is no such directory. */
function orElse<T>(nothing: T, look: () => T): T {
  try {
    return look()
  } catch (error) {
    const {code = ''} = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return nothing
    throw error
  }
}
