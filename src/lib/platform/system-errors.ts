/**
 * What the error codes of the system (errno(3)) and of SQLite (sqlite.org/rescode.html) mean to a
 * person: the one place for these words. Pure.
 */

/** What is said of the path that an error of the system names, and why it cannot be used. */
const WORDS: Readonly<Record<string, readonly [predicate?: string, reason?: string]>> = {
  EACCES: ['cannot be opened: you lack the permission', 'you lack the permission'],
  EBUSY: [undefined, 'it is in use'],
  EDQUOT: [
    'cannot be written: your share of the disk is used up',
    'your share of the disk is used up',
  ],
  EEXIST: ['exists already', 'a file is in its place'],
  EFBIG: ['cannot be written: the file system takes no file as large as that'],
  EIO: [undefined, 'the device reports an error'],
  EISDIR: ['is a directory', 'it is a directory'],
  ELOOP: ['is a link to itself', 'it is a link to itself'],
  EMFILE: ['cannot be opened: too many files are open', 'too many files are open'],
  ENFILE: ['cannot be opened: too many files are open', 'too many files are open'],
  ENAMETOOLONG: ['has a name that is too long', 'the name is too long for a file'],
  ENOENT: ['does not exist', 'there is no such file'],
  ENOSPC: ['cannot be written: the disk is full', 'the disk is full'],
  ENOTDIR: ['has a part that is no directory', 'a part of the path is no directory'],
  EPERM: ['cannot be changed: you lack the permission', 'you lack the permission'],
  EROFS: ['is on a disk that cannot be written', 'the disk cannot be written'],
}

/** Of a write that fails Node tells no path. */
const PATHLESS: ReadonlySet<string> = new Set(['EDQUOT', 'EFBIG', 'ENOSPC'])

/** What an error of the system tells of itself. */
interface SystemError {
  readonly code?: string
  readonly path?: string
  readonly syscall?: string
}

/** A sentence, without its full stop, for an error of the system; `undefined` for any other. */
export function systemSentence({code = '', path, syscall}: SystemError): string | undefined {
  if (code === 'EIO') {
    const [what, done] = syscall === 'read' ? ['input', 'read'] : ['output', 'written']
    return `${path ?? `The ${what}`} cannot be ${done}: the device reports an error`
  }
  const words = WORDS[code]?.[0]
  if (words === undefined) return undefined
  if (path !== undefined) return `${path} ${words}`
  return PATHLESS.has(code) ? `The output ${words}` : undefined
}

/** Why an error of the system came, as the end of a sentence that has named the path. */
export function reasonOf(error: unknown): string {
  const {code = '', message = code} = error as Partial<NodeJS.ErrnoException>
  return WORDS[code]?.[1] ?? bareWords(message)
}

/** Whether an error says that no more files can be opened, or was caused by one that does. */
export function isOutOfFiles(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++) {
    const {code = ''} = at as NodeJS.ErrnoException
    if (obstacleOf(code) === 'files' || SYSTEM_CALL_FAILED.test(at.message)) return true
  }
  return false
}

/** What native modules make of EMFILE and ENFILE. */
const SYSTEM_CALL_FAILED = /^Too many open files(?: in system)? \(os error 2[34]\)$/

/** What to do where no more files can be opened. */
export const RAISE_FILE_LIMIT =
  'Raise the limit with `ulimit -n 1024`, then run the same command again.'

/** What keeps data from being read or written, whoever asks and for whatever. */
export type Obstacle =
  /** The disk has no room. */
  | 'full'
  /** The user has no more room on it. */
  | 'share'
  /** The file system is mounted for reading only. */
  | 'readOnly'
  | 'forbidden'
  /** The disk fails. */
  | 'device'
  /** What was a database is none any more, in parts. */
  | 'damaged'
  /** It never was a database. */
  | 'foreign'
  /** It cannot be opened, and nobody says why. */
  | 'closed'
  /** Another process holds it. */
  | 'busy'
  /** No more files can be opened. */
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

/** The obstacle behind a code; SQLite's come with details, such as `SQLITE_IOERR_WRITE`. */
export function obstacleOf(code: string): Obstacle | undefined {
  return OBSTACLES[/^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code]
}

/** Whether there is no room for a write. */
export function isFull(code: string): boolean {
  return ['full', 'share'].includes(obstacleOf(code) ?? '')
}

/** The words in the message of an error of the system, without its code and what was called. */
export function bareWords(message: string): string {
  return /^E[A-Z0-9]+: (.+?)(?:, \w+.*)?$/s.exec(message)?.[1] ?? message
}
