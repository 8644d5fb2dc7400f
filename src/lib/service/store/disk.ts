import {accessSync, constants, mkdirSync, type Stats, statfsSync, statSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {DataError} from '../../api/dataerror.js'
import {bareWords, type Obstacle, obstacleOf} from '../../api/systemwords.js'
import type {Database} from './database.js'

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

const ELSEWHERE =
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
}

function databaseIn(directory: string): string {
  return join(directory, 'drv.db')
}

/** Below so many bytes of free space a disk counts as full: what SQLite shares needs half of it. */
const NO_ROOM = 64 * 1024

/**
 * The error of a data directory in words, where the disk or the database is at fault; any other
 * error as it is.
 */
export function inWords(error: unknown, directory: string): unknown {
  if (error instanceof DataError) return error
  const code = codeOf(error)
  const obstacle = obstacleOf(code)
  if (obstacle === undefined) return error
  // SQLite has this code for several things, a lack of room among them.
  const isRoom = obstacle === 'device' && code.startsWith('SQLITE') && hasNoRoom(directory)
  return new DiskError(isRoom ? 'full' : obstacle, code, directory, error)
}

/** Whether the disk is at fault, and not what was asked of it. */
export function isOfDisk(error: unknown): boolean {
  return obstacleOf(codeOf(error)) !== undefined
}

function codeOf(error: unknown): string {
  const {code, message} = (error ?? {}) as NodeJS.ErrnoException
  if (typeof code === 'string') return code
  // What libsql says of a file that it cannot open (SQLite's code 14) has no code of its own.
  return /^ConnectionFailed\(.*: 14"\)$/s.test(message ?? '') ? 'SQLITE_CANTOPEN' : ''
}

function hasNoRoom(directory: string): boolean {
  try {
    const {bavail, bsize} = statfsSync(directory)
    return bavail * bsize < NO_ROOM
  } catch {
    return false
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

/** The database of a data directory, with errors in words. */
export function inWordsOf(directory: string, database: Database): Database {
  const told = <T>(work: () => T) => telling(directory, work)
  return {
    ...database,
    all: (sql, parameters) => told(() => database.all(sql, parameters)),
    get: (sql, parameters) => told(() => database.get(sql, parameters)),
    run: (sql, parameters) => told(() => database.run(sql, parameters)),
    write: work => told(() => database.write(work)),
    writeAhead: work => told(() => database.writeAhead(work)),
    part: work => told(() => database.part(work)),
    read: work => told(() => database.read(work)),
    async sync() {
      try {
        await database.sync()
      } catch (error) {
        throw inWords(error, directory)
      }
    },
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
  const [finding] = all<{quick_check: string}>('PRAGMA quick_check(1)')
  if (finding && finding.quick_check !== 'ok') {
    throw new DiskError('damaged', 'SQLITE_CORRUPT', directory, new Error(finding.quick_check))
  }
}

/**
 * Makes a data directory where it is missing, for its owner only, and looks at what is in it: all
 * that the service writes must be what it has to be, and writable. Throws `DataError`. A full disk
 * is no reason: what is there can be read.
 */
export function prepareDirectory(directory: string): void {
  makeDirectory(directory)
  requireAccess(directory, directory, constants.R_OK | constants.W_OK | constants.X_OK)
  const content = join(directory, 'content')
  const facts = look(content)
  if (facts && !facts.isDirectory()) throw inTheWay(content, 'a directory')
  if (facts) requireAccess(directory, content, constants.R_OK | constants.W_OK | constants.X_OK)
  for (const suffix of ['', '-wal', '-shm']) {
    const file = databaseIn(directory) + suffix
    const found = look(file)
    if (found && !found.isFile()) throw inTheWay(file, 'a file')
    if (found) requireAccess(directory, file, constants.R_OK | constants.W_OK)
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
      const {code = '', message} = error as NodeJS.ErrnoException
      // Another process was faster.
      if (code === 'EEXIST' && look(path)?.isDirectory()) continue
      throw cannotBeMade(directory, whyNot(path, code, message), error)
    }
  }
}

function whyNot(path: string, code: string, message: string): string {
  switch (code) {
    case 'EEXIST':
      return `${path} is a link that leads nowhere`
    case 'ENOENT':
      return `${dirname(path)} takes nothing`
    case 'ENOSPC':
      return 'the disk is full'
    case 'EDQUOT':
      return 'your share of the disk is used up'
    case 'EROFS':
      return 'the disk cannot be written'
    case 'EACCES':
    case 'EPERM':
      return 'you lack the permission'
    default:
      return bareWords(message)
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

/** Throws what keeps `path` from being used so; it names that path and not all of the directory. */
function requireAccess(directory: string, path: string, mode: number): void {
  try {
    accessSync(path, mode)
  } catch (error) {
    throw inWords(error, path === directory ? directory : path)
  }
}
