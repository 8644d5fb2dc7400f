import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  type Stats,
} from 'node:fs'
import {dirname} from 'node:path'
import {makeFolder, writeWhole} from './write-file.js'

/**
 * Private files: files that drv wrote and trusts when it reads them again, such as compiled code,
 * descriptions of services and names for completion. A file counts only if no other user could have
 * written it.
 */

const user = process.geteuid?.()

/** Owner and mode of a file or a directory. */
type Owned = Pick<Stats, 'uid' | 'mode'>

/**
 * Whether no other user can read or write a file or directory. `owner` is the user ID; it is undefined
 * on Windows, where everything below a user's directories belongs to that user.
 */
export function isPrivate({uid, mode}: Owned, owner: number | undefined): boolean {
  return owner === undefined || (uid === owner && (mode & 0o077) === 0)
}

/** Whether a path is a directory (not a link) that no other user can access. Throws the system's error. */
export function isPrivateDirectory(path: string): boolean {
  const stats = lstatSync(path)
  return stats.isDirectory() && isPrivate(stats, user)
}

/**
 * The content of a private file of at most `limit` bytes; `undefined` if it is missing, longer, not a
 * regular file, or if another user could have written it or its directory.
 */
export function readPrivateFile(path: string, limit = Infinity): Buffer | undefined {
  try {
    if (!isPrivateDirectory(dirname(path))) return undefined
    // Windows lacks these flags, but links there need privileges and files are never pipes.
    const {O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0} = constants
    const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      const stats = fstatSync(file)
      const isTrusted = stats.isFile() && stats.size <= limit && isPrivate(stats, user)
      return isTrusted ? readFileSync(file) : undefined
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}

/**
 * Writes a file atomically so that `readPrivateFile` trusts it. Creates missing directories. If the
 * directory belongs to the user, closes it to others; otherwise writes nothing. Throws the system's
 * error.
 */
export async function writePrivateFile(
  path: string,
  text: string,
  {sync = false}: {readonly sync?: boolean} = {},
): Promise<void> {
  const directory = dirname(path)
  await makeFolder(directory, 0o700)
  const stats = lstatSync(directory)
  if (!stats.isDirectory() || (user !== undefined && stats.uid !== user)) return
  if (!isPrivate(stats, user)) chmodSync(directory, 0o700)
  await writeWhole(path, text, {sync})
}
