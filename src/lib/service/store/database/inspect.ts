import {statSync} from 'node:fs'
import {pathToFileURL} from 'node:url'
import Sqlite from 'libsql'
import {DataError} from '#lib/platform/setup-error.js'
import {obstacleOf} from '#lib/platform/system-errors.js'
import {readMark} from './data-directory.js'
import {type Database, databaseIn, type Parameters} from './database.js'
import {DiskError} from './disk.js'
import {layouts, missingLayouts} from './layout.js'

/** A database that can be looked at, and nothing else. */
export type ReadOnlyDatabase = Pick<Database, 'all' | 'get' | 'close'>

/** Opens the database of a data directory, in whatever layout it has, for reading only. Throws `DataError`, also later on. */
export function openReadOnly(directory: string): ReadOnlyDatabase {
  const path = databaseIn(directory)
  const facts = statSync(path, {throwIfNoEntry: false})
  if (!facts?.isFile() || facts.size === 0) {
    const what = facts ? (facts.isFile() ? 'is empty' : 'is no file') : 'is missing'
    throw new DataError(
      `There is no data of the service in ${directory}: drv.db ${what}.`,
      'Name the directory that the service runs on with --data, or put a backup back.',
    )
  }
  // One of a newer format may have its contents elsewhere.
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
    // All of them are missing where there is no table.
    if (missingLayouts(layouts, database, directory).length < layouts.length) return database
    throw new DataError(
      `${path} is no database of the service.`,
      'Name the directory that the service runs on with --data, or put a backup back.',
    )
  } catch (error) {
    database.close()
    throw error
  }
}

/** What `work` reads, or what is told when the file is damaged or no database at all. */
function readable<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new DataError(
      `The database ${path} cannot be read.`,
      'It is damaged, no database, or not yours to read. Put a backup back if it is damaged.',
      {cause: error},
    )
  }
}

/** A larger database is not looked at as a whole, which would take seconds: bytes. */
const CHECKED = 256 * 1024 * 1024

/** Reads a whole database, and throws `DiskError` where it is damaged. */
export function checkDatabase({
  directory,
  all,
}: Pick<Database, 'all'> & {readonly directory: string}): void {
  if ((statSync(databaseIn(directory), {throwIfNoEntry: false})?.size ?? 0) > CHECKED) return
  const fault = faultIn({all})
  if (fault !== undefined) {
    throw new DiskError('damaged', 'SQLITE_CORRUPT', directory, new Error(fault))
  }
}

/** What SQLite finds wrong when it reads a whole database; `undefined` for a sound one. */
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
