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

/** Turns errors of the disk and of SQLite into messages that name the data directory. */

/** The data of the service cannot be read or written because of its disk. */
export class DiskError extends DataError {
  constructor(
    readonly obstacle: Obstacle,
    /** The code of the system or of SQLite. */
    readonly code: string,
    directory: string,
    cause: unknown,
  ) {
    super(...MESSAGES[obstacle](directory), {cause})
    this.name = 'DiskError'
  }

  /** Whether existing data can still be read. */
  get isLackOfRoom(): boolean {
    return this.obstacle === 'full' || this.obstacle === 'share'
  }
}

/** The end of a hint for a directory that cannot be used. */
export const OTHER_DIRECTORY_HINT =
  'choose another directory with --data (for `drv local`) or XDG_DATA_HOME (for all of drv)'
const FREE_SPACE = 'Free up space, then try again.'

/** The message and the hint for each kind of error. */
const MESSAGES: Readonly<Record<Obstacle, (directory: string) => [message: string, hint: string]>> =
  {
    full: directory => [`Cannot write to ${directory}: the disk is full.`, FREE_SPACE],
    share: directory => [`Cannot write to ${directory}: your disk quota is exceeded.`, FREE_SPACE],
    readOnly: directory => [
      `Cannot write to ${directory}: the file system is read-only.`,
      `Mount it with write access, or ${OTHER_DIRECTORY_HINT}.`,
    ],
    forbidden: directory => [
      `Cannot read and write ${directory}: permission denied.`,
      `Change its permissions, or ${OTHER_DIRECTORY_HINT}.`,
    ],
    device: directory => [
      `Cannot read or write ${directory}: the device reported an error.`,
      'The disk may be failing. Copy the directory to another disk.',
    ],
    damaged: directory => [
      `The database ${databaseIn(directory)} is damaged.`,
      `Restore a backup of the whole directory, or ${OTHER_DIRECTORY_HINT}.`,
    ],
    foreign: directory => [
      `${databaseIn(directory)} is not a database.`,
      `Restore a backup of the whole directory, or ${OTHER_DIRECTORY_HINT}.`,
    ],
    closed: directory => [
      `Cannot open the database ${databaseIn(directory)}.`,
      `Check that it is a regular file that you can read and write, or ${OTHER_DIRECTORY_HINT}.`,
    ],
    busy: directory => [
      `The database ${databaseIn(directory)} is locked by another process.`,
      'Try again when that process has ended.',
    ],
    files: directory => [
      `Cannot use the data in ${directory}: too many open files.`,
      RAISE_FILE_LIMIT,
    ],
  }

/** A disk with less free space, in bytes, counts as full: SQLite's shared memory needs half of this. */
const MIN_FREE_SPACE = 64 * 1024

/** A `DiskError` for an error of the disk or the database; other errors unchanged. */
export function translateError(error: unknown, directory: string): unknown {
  if (error instanceof DataError) return error
  const code = codeOf(error)
  const obstacle = obstacleOf(code)
  if (obstacle === undefined) return error
  // SQLite uses the same code for a full disk.
  const isFull =
    obstacle === 'device' && code.startsWith('SQLITE') && freeSpaceIn(directory) < MIN_FREE_SPACE
  return new DiskError(isFull ? 'full' : obstacle, code, directory, error)
}

function codeOf(error: unknown): string {
  const {code, message} = (error ?? {}) as NodeJS.ErrnoException
  if (typeof code === 'string') return code
  if (isOutOfFiles(error)) return 'EMFILE'
  // libsql sets no code if it cannot open a file (SQLite's code 14).
  return /^ConnectionFailed\(.*: 14"\)$/s.test(message ?? '') ? 'SQLITE_CANTOPEN' : ''
}

/** Free space on the disk of a directory, in bytes; `Infinity` if it is unknown. */
export function freeSpaceIn(directory: string): number {
  try {
    const {blocks, bfree, bsize} = statfsSync(directory)
    return blocks > 0 ? bfree * bsize : Infinity
  } catch {
    return Infinity
  }
}

/** Throws `DiskError` if the disk has less than `size` bytes of free space. */
export function requireFreeSpace(directory: string, size: number): void {
  if (size <= freeSpaceIn(directory)) return
  throw new DiskError('full', 'ENOSPC', directory, new Error(`no space for ${size} bytes`))
}

/** Number of open files that the database, a server and one connection need. */
const NEEDED_FILES = 14

/** Throws `DiskError` if the process cannot open enough files: the database would crash it. */
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

/** Runs `work` on a data directory and throws disk errors as `DiskError`. */
export function translateErrors<T>(directory: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw translateError(error, directory)
  }
}

/** A database whose methods throw disk errors as `DiskError`. */
export function translateErrorsOf(directory: string, database: Database): Database {
  const fail = (error: unknown): never => {
    throw translateError(error, directory)
  }
  const translated =
    <A extends unknown[], T>(work: (...args: A) => T) =>
    (...args: A): T => {
      const result = translateErrors(directory, () => work(...args))
      return result instanceof Promise ? (result.catch(fail) as T) : result
    }
  return Object.fromEntries(
    Object.entries(database as object).flatMap(([name, work]: [string, unknown]) =>
      typeof work === 'function' ? [[name, translated(work as () => unknown)]] : [],
    ),
  ) as unknown as Database
}

/** Writes a new file, readable by its owner only, and flushes it to disk. Deletes it if writing fails. */
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

/** Flushes the entries of a directory to disk. Not needed on Windows. */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Like `syncDirectory`, synchronously. */
export function syncDirectoryNow(directory: string): void {
  if (process.platform === 'win32') return
  const fd = openSync(directory, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** The names of unfinished files: a random ID with an extension that no other file has. */
const UNFINISHED = /^([\w-]{28})\.unfinished$/

/** The name of an unfinished file. */
export function unfinishedName(id: string): string {
  return `${id}.unfinished`
}

/** The ID in the name of an unfinished file; `undefined` for other names. */
export function unfinishedId(name: string): string | undefined {
  return UNFINISHED.exec(name)?.[1]
}
