import {statSync} from 'node:fs'
import {pathToFileURL} from 'node:url'
import Sqlite from 'libsql'
import {DataError} from '#lib/platform/setup-error.js'
import {obstacleOf} from '#lib/platform/system-errors.js'
import {readMark} from './data-directory.js'
import {type Database, databaseIn, type Parameters} from './database.js'
import {DiskError} from './disk.js'
import {layouts, missingLayouts} from './layout.js'

/** A database that can only be read. */
export type ReadOnlyDatabase = Pick<Database, 'all' | 'get' | 'close'>

/** Opens the database of a data directory, of any layout, for reading only. Throws `DataError`, now and in later calls. */
export function openReadOnly(directory: string): ReadOnlyDatabase {
  const path = databaseIn(directory)
  const facts = statSync(path, {throwIfNoEntry: false})
  if (!facts?.isFile() || facts.size === 0) {
    const state = facts ? (facts.isFile() ? 'is empty' : 'is not a file') : 'is missing'
    throw new DataError(
      `No service data in ${directory}: drv.db ${state}.`,
      'Set the data directory of the service with --data, or restore a backup.',
    )
  }
  // A directory of a newer format may have its content elsewhere.
  readMark(directory)
  const sqlite = readable(path, () => new Sqlite(`${pathToFileURL(path).href}?mode=ro`))
  const database: ReadOnlyDatabase = {
    all: <Row>(sql: string, parameters: Parameters = {}) =>
      readable(path, () => sqlite.prepare(sql).all(parameters) as Row[]),
    get: <Row>(sql: string, parameters: Parameters = {}) =>
      readable(path, () => sqlite.prepare(sql).get(parameters) as Row | undefined),
    close: () => void sqlite.close(),
  }
  try {
    // An empty database lacks all layouts.
    if (missingLayouts(layouts, database, directory).length < layouts.length) return database
    throw new DataError(
      `${path} is not a database of the service.`,
      'Set the data directory of the service with --data, or restore a backup.',
    )
  } catch (error) {
    database.close()
    throw error
  }
}

/** The result of `work`. Throws `DataError` if the file cannot be read as a database. */
function readable<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new DataError(
      `Cannot read the database ${path}.`,
      'It is damaged or not a database, or you lack permission to read it. If it is damaged, restore a backup.',
      {cause: error},
    )
  }
}

/** Maximum size of a database to check, in bytes. Checking a larger one would take seconds. */
const MAX_CHECKED = 256 * 1024 * 1024

/** Reads a whole database of at most 256 MiB. Throws `DiskError` if it is damaged. */
export function checkDatabase({
  directory,
  all,
}: Pick<Database, 'all'> & {readonly directory: string}): void {
  if ((statSync(databaseIn(directory), {throwIfNoEntry: false})?.size ?? 0) > MAX_CHECKED) return
  const fault = faultIn({all})
  if (fault !== undefined) {
    throw new DiskError('damaged', 'SQLITE_CORRUPT', directory, new Error(fault))
  }
}

/** The first problem that SQLite finds in a database; `undefined` for an intact one. */
export function faultIn({all}: Pick<Database, 'all'>): string | undefined {
  try {
    const [finding] = all<{quick_check: string}>('PRAGMA quick_check(1)')
    return finding && finding.quick_check !== 'ok' ? finding.quick_check : undefined
  } catch (error) {
    const {cause = error} = error as {cause?: unknown}
    const {code, message} = cause as NodeJS.ErrnoException
    if (obstacleOf(code ?? '') === 'damaged') return message
    throw error
  }
}
