import {readFileSync, renameSync, rmSync} from 'node:fs'
import {join} from 'node:path'
import {DataError} from '#lib/api/dataerror.js'
import type {Database} from './database.js'
import {keepNamesNow, writeDurably} from '#lib/service/store/content/durable.js'

/** The file by which a data directory is known. Its database holds the same ID. */
export const MARK = 'drv-data.json'

/** The format of the directory, not of the database, which has versions of its own. */
const FORMAT = 1

/**
 * The ID in the mark of a data directory; `undefined` for a directory without one. Throws
 * `DataError` for a mark of a newer format and for a file that is no mark.
 */
export function readMark(directory: string): string | undefined {
  const path = join(directory, MARK)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const {format, id} = parsed(text)
  if (typeof format === 'number' && format > FORMAT) {
    throw newerData(directory)
  }
  if (format === FORMAT && typeof id === 'string' && id !== '') return id
  throw new DataError(
    `The file ${path} is not the mark of a data directory that it should be.`,
    'Put it back from a backup; or, where the drv.db beside it is sound, move the file away, and it is made anew.',
  )
}

/**
 * Marks a directory. Whatever happens meanwhile, the mark is there whole or not at all; several
 * processes may write the same one at once. `draft` is a free name beside it.
 */
export function writeMark(directory: string, id: string, draft: string): void {
  const path = join(directory, draft)
  const mark = JSON.stringify({program: 'drv', format: FORMAT, id})
  try {
    writeDurably(path, Buffer.from(`${mark}\n`))
    renameSync(path, join(directory, MARK))
  } catch (error) {
    rmSync(path, {force: true})
    throw error
  }
  keepNamesNow(directory)
}

/** The version of a database in the first layout. Those below it are from before the first release. */
const FIRST_VERSION = 8

/** The version of a database that has all these layouts. */
export function versionWith(layouts: readonly string[]): number {
  return FIRST_VERSION + layouts.length - 1
}

/**
 * The layouts that a database lacks: all of them where it has no tables yet. Throws `DataError` for
 * one that this drv cannot bring up to date.
 */
export function missingLayouts(
  layouts: readonly string[],
  {get}: Pick<Database, 'get'>,
  directory: string,
): readonly string[] {
  const {user_version: version} = get<{user_version: number}>('PRAGMA user_version')!
  if (version === 0) return layouts
  if (version > versionWith(layouts)) throw newerData(directory)
  if (version >= FIRST_VERSION) return layouts.slice(version - FIRST_VERSION + 1)
  throw new DataError(
    `The data in ${directory} was written by a drv from before the first release.`,
    'This drv cannot use it. Remove the directory to start anew, or name another one with --data.',
  )
}

function newerData(directory: string): DataError {
  return new DataError(
    `The data in ${directory} was written by a newer drv.`,
    'Update drv to use it.',
  )
}

function parsed(text: string): {readonly format?: unknown; readonly id?: unknown} {
  try {
    return (JSON.parse(text) ?? {}) as {format?: unknown; id?: unknown}
  } catch {
    return {}
  }
}
