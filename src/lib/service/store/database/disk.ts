import {closeSync, fsyncSync, openSync, rmSync, statfsSync, writeSync} from 'node:fs'
import {open} from 'node:fs/promises'
import {devNull} from 'node:os'
import {DataError} from '#lib/platform/setup-error.js'
import {
  isOutOfFiles,
  type Obstacle,
  obstacleOf,
  RAISE_FILE_LIMIT,
} from '#lib/platform/system-errors.js'
import {type Database, databaseIn} from './database.js'

/** What the disk does to a data directory: told in words that name it, whatever the code was. */

/** The data of the service cannot be read or written, for a reason that lies in their disk. */
export class DiskError extends DataError {
  constructor(
    readonly obstacle: Obstacle,
    /** The code of the system or of SQLite. */
    readonly code: string,
    directory: string,
    cause: unknown,
  ) {
    super(...TOLD[obstacle](directory), {cause})
    this.name = 'DiskError'
  }

  /** What is there can still be read. */
  get isLackOfRoom(): boolean {
    return this.obstacle === 'full' || this.obstacle === 'share'
  }
}

/** How to go on without a directory that cannot be used. */
export const ELSEWHERE =
  'choose another directory: --data of `drv local` names one, XDG_DATA_HOME that of all of drv'
const ROOM = 'Make room there, then try again.'

/** What is said of a data directory, and what to do now. */
const TOLD: Readonly<Record<Obstacle, (directory: string) => [message: string, hint: string]>> = {
  full: directory => [`The disk is full: nothing can be written in ${directory}.`, ROOM],
  share: directory => [
    `Your share of the disk is used up: nothing can be written in ${directory}.`,
    ROOM,
  ],
  readOnly: directory => [
    `${directory} is on a disk that cannot be written.`,
    `Mount it so that it can be, or ${ELSEWHERE}.`,
  ],
  forbidden: directory => [
    `${directory} cannot be read and written: you lack the permission.`,
    `Change its permissions, or ${ELSEWHERE}.`,
  ],
  device: directory => [
    `Reading or writing in ${directory} failed: the device reports an error.`,
    'The disk may be about to fail: make a copy of the directory elsewhere.',
  ],
  damaged: directory => [
    `The database ${databaseIn(directory)} is damaged.`,
    `Put a backup of the whole directory back, or ${ELSEWHERE}.`,
  ],
  foreign: directory => [
    `${databaseIn(directory)} is no database.`,
    `Put a backup of the whole directory back, or ${ELSEWHERE}.`,
  ],
  closed: directory => [
    `The database ${databaseIn(directory)} cannot be opened.`,
    `See that nothing is in its way and that it is yours, or ${ELSEWHERE}.`,
  ],
  busy: directory => [
    `Another process keeps the database ${databaseIn(directory)} to itself.`,
    'Try again when it has ended.',
  ],
  files: directory => [
    `Too many files are open: the data in ${directory} cannot be used.`,
    RAISE_FILE_LIMIT,
  ],
}

/** Below so many bytes of free space a disk counts as full: what SQLite shares needs half of it. */
const NO_ROOM = 64 * 1024

/** The error of a data directory in words, where the disk or the database is at fault; any other as it is. */
export function inWords(error: unknown, directory: string): unknown {
  if (error instanceof DataError) return error
  const code = codeOf(error)
  const obstacle = obstacleOf(code)
  if (obstacle === undefined) return error
  // SQLite has this code for several things, a lack of room among them.
  const isRoom = obstacle === 'device' && code.startsWith('SQLITE') && roomIn(directory) < NO_ROOM
  return new DiskError(isRoom ? 'full' : obstacle, code, directory, error)
}

function codeOf(error: unknown): string {
  const {code, message} = (error ?? {}) as NodeJS.ErrnoException
  if (typeof code === 'string') return code
  if (isOutOfFiles(error)) return 'EMFILE'
  // What libsql says of a file that it cannot open (SQLite's code 14) has no code of its own.
  return /^ConnectionFailed\(.*: 14"\)$/s.test(message ?? '') ? 'SQLITE_CANTOPEN' : ''
}

/** Bytes that the disk of a directory still takes; `Infinity` where it does not say. */
export function roomIn(directory: string): number {
  try {
    const {blocks, bfree, bsize} = statfsSync(directory)
    return blocks > 0 ? bfree * bsize : Infinity
  } catch {
    return Infinity
  }
}

/** Throws `DiskError` where so many more bytes certainly find no room. */
export function requireRoom(directory: string, size: number): void {
  if (size <= roomIn(directory)) return
  throw new DiskError('full', 'ENOSPC', directory, new Error(`${size} bytes find no room`))
}

/** As many files as the database, a server and a connection to it have open. */
const NEEDED_FILES = 14

/** Throws `DiskError` where too few files can be opened: the database would end the process when they run out. */
export function requireFiles(directory: string): void {
  const opened: number[] = []
  try {
    while (opened.length < NEEDED_FILES) opened.push(openSync(devNull, 'r'))
  } catch (error) {
    if (isOutOfFiles(error)) throw new DiskError('files', 'EMFILE', directory, error)
  } finally {
    opened.forEach(closeSync)
  }
}

/** Does `work` over a data directory; what the disk makes of it is thrown in words. */
export function telling<T>(directory: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw inWords(error, directory)
  }
}

/** The database of a data directory, with errors in words, also those that come later. */
export function inWordsOf(directory: string, database: Database): Database {
  const fail = (error: unknown): never => {
    throw inWords(error, directory)
  }
  const told =
    <A extends unknown[], T>(work: (...args: A) => T) =>
    (...args: A): T => {
      const done = telling(directory, () => work(...args))
      return done instanceof Promise ? (done.catch(fail) as T) : done
    }
  return Object.fromEntries(
    Object.entries(database as object).flatMap(([name, work]: [string, unknown]) =>
      typeof work === 'function' ? [[name, told(work as () => unknown)]] : [],
    ),
  ) as unknown as Database
}

/** Writes a new file, for its owner only, that is on the disk once this returns; what fails leaves nothing. */
export function writeDurably(path: string, bytes: Buffer): void {
  const fd = openSync(path, 'wx', 0o600)
  try {
    for (let written = 0; written < bytes.length;) {
      written += writeSync(fd, bytes, written, bytes.length - written, written)
    }
    fsyncSync(fd)
  } catch (error) {
    rmSync(path, {force: true})
    throw error
  } finally {
    closeSync(fd)
  }
}

/** Puts the names in a directory on the disk. Windows knows no such thing, and needs none. */
export async function keepNames(directory: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** As `keepNames`, at once. */
export function keepNamesNow(directory: string): void {
  if (process.platform === 'win32') return
  const fd = openSync(directory, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** The names of files that are still being written: a random ID and an ending that nobody else gives. */
const UNFINISHED = /^([\w-]{28})\.unfinished$/

export function unfinishedName(id: string): string {
  return `${id}.unfinished`
}

/** The ID in such a name; `undefined` for any other name. */
export function unfinishedId(name: string): string | undefined {
  return UNFINISHED.exec(name)?.[1]
}
