/**
 * Texts for error codes of the system (errno(3)) and of SQLite (sqlite.org/rescode.html). No other
 * file contains such texts. Pure.
 */

/** For each code: a sentence without its period in which `PATH` stands for the path, and a reason without the path. */
const WORDS: Readonly<Record<string, readonly [sentence?: string, reason?: string]>> = {
  EACCES: ['Cannot open PATH: permission denied', 'permission denied'],
  EADDRINUSE: [undefined, 'the port is already in use'],
  EADDRNOTAVAIL: [undefined, 'this machine does not have the address'],
  EAI_AGAIN: [undefined, 'the host name cannot be resolved'],
  EBUSY: [undefined, 'the file is in use'],
  EDQUOT: ['Cannot write PATH: disk quota exceeded', 'disk quota exceeded'],
  EEXIST: ['PATH already exists', 'a file with this name already exists'],
  EFBIG: ['Cannot write PATH: the file is too large for this file system'],
  EIO: [undefined, 'the device reported an I/O error'],
  EISDIR: ['PATH is a directory', 'it is a directory'],
  ELOOP: ['PATH is a symbolic link that leads to itself', 'a symbolic link leads to itself'],
  EMFILE: ['Cannot open PATH: too many open files', 'too many open files'],
  ENFILE: ['Cannot open PATH: too many open files', 'too many open files'],
  ENAMETOOLONG: ['PATH has a name that is too long', 'the file name is too long'],
  ENOTFOUND: [undefined, 'the host name cannot be resolved'],
  ENOENT: ['PATH does not exist', 'no such file or directory'],
  ENOSPC: ['Cannot write PATH: the disk is full', 'the disk is full'],
  ENOTDIR: ['PATH has a parent that is not a directory', 'a parent of the path is not a directory'],
  EPERM: ['Cannot change PATH: operation not permitted', 'operation not permitted'],
  EROFS: ['PATH is on a read-only file system', 'the file system is read-only'],
}

/** Codes of failed writes. Node gives no path for them. */
const PATHLESS: ReadonlySet<string> = new Set(['EDQUOT', 'EFBIG', 'ENOSPC'])

/** The properties of a system error that the texts use. */
interface SystemError {
  readonly code?: string
  readonly path?: string
  readonly syscall?: string
}

/** A sentence without its period for a system error; `undefined` for any other error. */
export function systemSentence({code = '', path, syscall}: SystemError): string | undefined {
  if (code === 'EIO') {
    const [what, verb] = syscall === 'read' ? ['input', 'read'] : ['output', 'write']
    return `Cannot ${verb} ${path ?? `the ${what}`}: the device reported an I/O error`
  }
  const sentence = WORDS[code]?.[0]
  const subject = path ?? (PATHLESS.has(code) ? 'the output' : undefined)
  return subject === undefined ? undefined : sentence?.replace('PATH', () => subject)
}

/** The reason of a system error, as the end of a sentence that names the path. */
export function reasonOf(error: unknown): string {
  const {code = '', message = code} = error as Partial<NodeJS.ErrnoException>
  return WORDS[code]?.[1] ?? errorWords(message)
}

/** Whether an error or one of its causes means that no more files can be opened. */
export function isOutOfFiles(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++) {
    const {code = ''} = at as NodeJS.ErrnoException
    if (obstacleOf(code) === 'files' || SYSTEM_CALL_FAILED.test(at.message)) return true
  }
  return false
}

/** The message that native modules give for EMFILE and ENFILE. */
const SYSTEM_CALL_FAILED = /^Too many open files(?: in system)? \(os error 2[34]\)$/

/** The hint for a process that cannot open more files. */
export const RAISE_FILE_LIMIT =
  'Raise the limit with `ulimit -n 1024`, then run the same command again.'

/** Why data cannot be read or written, independent of the operation. */
export type Obstacle =
  /** The disk is full. */
  | 'full'
  /** The user's disk quota is exceeded. */
  | 'share'
  /** The file system is read-only. */
  | 'readOnly'
  | 'forbidden'
  /** The device reports I/O errors. */
  | 'device'
  /** Parts of the database are damaged. */
  | 'damaged'
  /** The file is not a database. */
  | 'foreign'
  /** The database cannot be opened, for an unknown reason. */
  | 'closed'
  /** Another process has locked the database. */
  | 'busy'
  /** Too many files are open. */
  | 'files'

const OBSTACLES: Readonly<Record<string, Obstacle>> = {
  EACCES: 'forbidden',
  EDQUOT: 'share',
  EIO: 'device',
  EMFILE: 'files',
  ENFILE: 'files',
  ENOSPC: 'full',
  EPERM: 'forbidden',
  EROFS: 'readOnly',
  SQLITE_BUSY: 'busy',
  SQLITE_CANTOPEN: 'closed',
  SQLITE_CORRUPT: 'damaged',
  SQLITE_FULL: 'full',
  SQLITE_IOERR: 'device',
  SQLITE_LOCKED: 'busy',
  SQLITE_NOTADB: 'foreign',
  SQLITE_PERM: 'forbidden',
  SQLITE_READONLY: 'readOnly',
}

/** The obstacle for a code; SQLite codes may have a suffix, such as `SQLITE_IOERR_WRITE`. */
export function obstacleOf(code: string): Obstacle | undefined {
  return OBSTACLES[/^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code]
}

/** Whether a write failed because the disk is full or the quota exceeded. */
export function isFull(code: string): boolean {
  return ['full', 'share'].includes(obstacleOf(code) ?? '')
}

/** The text of a system error message, without its code and the name of the call. */
export function errorWords(message: string): string {
  return /^E[A-Z0-9]+: (.+?)(?:, \w+.*)?$/s.exec(message)?.[1] ?? message
}
