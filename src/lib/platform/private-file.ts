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
 * Files that drv wrote for itself and believes when it reads them again: compiled code, descriptions
 * of services, names for completion. They count only where no other user can have written them.
 */

const user = process.geteuid?.()

/** Owner and mode of a file or a directory. */
type Owned = Pick<Stats, 'uid' | 'mode'>

/**
 * Whether no other user can read or write a file or directory. `owner` is the number of the user, which
 * Windows does not have; what is below a user's directories there is theirs.
 */
export function isPrivate({uid, mode}: Owned, owner: number | undefined): boolean {
  return owner === undefined || (uid === owner && (mode & 0o077) === 0)
}

/** Whether a path is a directory, and no link to one, that no other user gets into. Throws the system's error. */
export function isPrivateDirectory(path: string): boolean {
  const stats = lstatSync(path)
  return stats.isDirectory() && isPrivate(stats, user)
}

/**
 * The content of a file of `limit` bytes at most; `undefined` for one that is missing, is longer, is
 * anything but a file, or that another user can have put there, itself or its directory.
 */
export function readPrivateFile(path: string, limit = Infinity): Buffer | undefined {
  try {
    if (!isPrivateDirectory(dirname(path))) return undefined
    // Windows has no links that anybody could make, and no pipes to wait for.
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
 * Writes a file whole, such that `readPrivateFile` believes it. Missing directories are made; a
 * directory of the user's own is closed to others, in any other place nothing is written.
 * Throws the system's error.
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
