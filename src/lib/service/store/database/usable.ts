import {accessSync, constants, mkdirSync, type Stats, statSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {DataError} from '#lib/api/dataerror.js'
import {obstacleOf, reasonOf} from '#lib/platform/system-errors.js'
import {type Database, databaseIn} from './database.js'
import {DiskError, ELSEWHERE, inWords} from '#lib/service/store/content/disk.js'

/** Whether a directory can hold the data of the service, seen before they are opened. */

/**
 * Makes a data directory where it is missing, for its owner only, and looks at what is in it: all
 * that the service writes must be what it has to be, and writable. Throws `DataError`. A full disk
 * is no reason: what is there can be read.
 */
export function prepareDirectory(directory: string): void {
  makeDirectory(directory)
  requireAccess(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  const content = join(directory, 'content')
  const facts = look(content)
  if (facts && !facts.isDirectory()) throw inTheWay(content, 'a directory')
  if (facts) requireAccess(content, constants.R_OK | constants.W_OK | constants.X_OK)
  for (const suffix of ['', '-wal', '-shm']) {
    const file = databaseIn(directory) + suffix
    const found = look(file)
    if (found && !found.isFile()) throw inTheWay(file, 'a file')
    if (found) requireAccess(file, constants.R_OK | constants.W_OK)
  }
}

/**
 * Makes a directory and those above it that are missing. Node's own way of it never ends where a
 * directory takes nothing and says that it is not there, as those below /proc do.
 */
function makeDirectory(directory: string): void {
  const missing: string[] = []
  let above = directory
  let facts = look(above)
  while (!facts && dirname(above) !== above) {
    missing.unshift(above)
    above = dirname(above)
    facts = look(above)
  }
  if (facts && !facts.isDirectory()) {
    if (above === directory) throw inTheWay(directory, 'a directory')
    throw cannotBeMade(directory, `${above} is ${kindOf(facts)}`)
  }
  for (const path of missing) {
    try {
      mkdirSync(path, 0o700)
    } catch (error) {
      const {code} = error as NodeJS.ErrnoException
      // Another process was faster.
      if (code === 'EEXIST' && look(path)?.isDirectory()) continue
      throw cannotBeMade(directory, whyNot(path, error), error)
    }
  }
}

function whyNot(path: string, error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EEXIST':
      return `${path} is a link that leads nowhere`
    case 'ENOENT':
      return `${dirname(path)} takes nothing`
    default:
      return reasonOf(error)
  }
}

function cannotBeMade(directory: string, why: string, cause?: unknown): DataError {
  return new DataError(
    `The directory ${directory} cannot be made: ${why}.`,
    `Mend that, or ${ELSEWHERE}.`,
    {cause},
  )
}

function inTheWay(path: string, wanted: 'a directory' | 'a file'): DataError {
  return new DataError(
    `${path} is ${kindOf(statSync(path))}, and the service needs ${wanted} there.`,
    `Move it away, or ${ELSEWHERE}.`,
  )
}

function kindOf(facts: Stats): string {
  if (facts.isDirectory()) return 'a directory'
  return facts.isFile() ? 'a file' : 'no ordinary file'
}

/** The facts of a path; `undefined` where there is nothing, or nothing that can be looked at. */
function look(path: string): Stats | undefined {
  try {
    return statSync(path, {throwIfNoEntry: false})
  } catch {
    return undefined
  }
}

/** Throws what keeps `path` from being used so, in words that name it and not the whole directory. */
function requireAccess(path: string, mode: number): void {
  try {
    accessSync(path, mode)
  } catch (error) {
    throw inWords(error, path)
  }
}

/** A larger database is not looked at as a whole, which would take seconds: bytes. */
const CHECKED = 256 * 1024 * 1024

/** Reads a whole database, and throws `DiskError` where it is damaged. */
export function checkDatabase({
  directory,
  all,
}: Pick<Database, 'all'> & {readonly directory: string}): void {
  if ((look(databaseIn(directory))?.size ?? 0) > CHECKED) return
  const fault = faultIn({all})
  if (fault !== undefined) {
    throw new DiskError('damaged', 'SQLITE_CORRUPT', directory, new Error(fault))
  }
}

/**
 * What SQLite finds wrong when it reads a whole database; `undefined` for a sound one. Of what is
 * damaged in the index of texts it throws.
 */
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
