import {lstatSync, readdirSync, rmSync, statSync} from 'node:fs'
import {join} from 'node:path'
import Sqlite from 'libsql'
import {DataError} from '#lib/platform/setup-error.js'
import {isOwnName, LOST, MARK, readMark} from './data-directory.js'
import {databaseIn} from './database.js'
import {DiskError, translateErrors, unfinishedId} from './disk.js'

/** Empties data directories. */

/** The names of everything in a directory that a reset deletes; none for an empty one. Throws `DataError` for a directory without the mark of drv. */
export function resettable(directory: string): readonly string[] {
  const names = translateErrors(directory, () =>
    statSync(directory, {throwIfNoEntry: false})?.isDirectory()
      ? readdirSync(directory)
      : undefined,
  )
  if (names?.length === 0) return []
  if (names === undefined || readMark(directory) === undefined) {
    throw new DataError(
      `${directory} is not a data directory of drv: it has no ${MARK}.`,
      'Set the data directory of the service with --data.',
    )
  }
  return names.filter(name => isOwnName(name) || unfinishedId(name) !== undefined)
}

/** The total size in bytes of these entries of a directory, without opening the database, which could be damaged. */
export function totalSizeOf(directory: string, names: readonly string[]): number {
  return translateErrors(directory, () =>
    names.reduce((sum, name) => {
      const path = join(directory, name)
      const facts = lstatSync(path, {throwIfNoEntry: false})
      return (
        sum + (facts?.isDirectory() ? totalSizeOf(path, readdirSync(path)) : (facts?.size ?? 0))
      )
    }, 0),
  )
}

/** Deletes everything that drv has in a data directory, the mark last. Throws `DataError` if another process uses it. */
export function emptyDirectory(directory: string, names: readonly string[]): void {
  translateErrors(directory, () => {
    requireUnused(directory)
    for (const name of [...names.filter(name => name !== MARK), MARK]) {
      try {
        rmSync(join(directory, name), {recursive: true, force: true})
      } catch (error) {
        // The root folder of a file system has one that belongs to the system.
        if (name !== LOST) throw error
      }
    }
  })
}

/** Throws `DiskError` if another process has the database open. A damaged database is nobody's. */
function requireUnused(directory: string): void {
  const path = databaseIn(directory)
  if (!statSync(path, {throwIfNoEntry: false})?.isFile()) return
  const sqlite = new Sqlite(path, {timeout: 0})
  try {
    // Only a process that is alone can leave WAL mode.
    sqlite.exec('PRAGMA journal_mode = DELETE')
  } catch (error) {
    const {code} = error as {code?: unknown}
    if (code === 'SQLITE_BUSY') throw new DiskError('busy', code, directory, error)
  } finally {
    sqlite.close()
  }
}
