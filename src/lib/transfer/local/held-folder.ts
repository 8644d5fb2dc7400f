import {closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, statSync} from 'node:fs'
import {basename, dirname, join, relative, resolve, sep} from 'node:path'
import {TransferError} from '#lib/transfer/errors.js'

/**
 * Holds folders of a local tree so that a link added meanwhile cannot lead to files outside it. All access to
 * files in trees goes through these. Synchronous, because the thread pool takes several times as long.
 */

/** A folder that stays the same while it is held. */
export interface HeldFolder {
  /** Absolute path, for messages. */
  readonly path: string
  /** The path for accessing an entry of exactly this folder while it is held. */
  entry(name: string): string
  /** Holds a folder in it. Throws `TransferError` for a link, and the system's error. */
  below(name: string): HeldFolder
  /**
   * Throws `TransferError` if the folder is no longer at its path. Call it after each use, for systems
   * without access through descriptors.
   */
  check(): void
  /** Releases the folder. */
  close(): void
}

/** How entries are accessed: through the open folder's descriptor, or by path. */
export type Holding = 'descriptor' | 'path'

/** On Linux, entries of an open folder are accessible below this path; Node has no `openat`. */
const DESCRIPTORS = '/proc/self/fd'

function holdingHere(): Holding {
  return process.platform === 'linux' && existsSync(DESCRIPTORS) ? 'descriptor' : 'path'
}

/** Holds a folder that the user named, following links. Throws the system's error. */
export function holdFolder(path: string, holding = holdingHere()): HeldFolder {
  const whole = resolve(path)
  if (holding === 'path') return heldByPath(whole, [{path: whole, ...identityOf(statSync, whole)}])
  return heldByDescriptor(whole, openSync(whole, constants.O_RDONLY | constants.O_DIRECTORY))
}

interface Below {
  /** Whether to create missing folders. */
  readonly isMade?: boolean
  readonly holding?: Holding
}

/**
 * Holds `folder`, which is `root` or below it. Links below `root` are not followed. Throws
 * `TransferError` for a link, and the system's error.
 */
export function holdBelow(
  root: string,
  folder: string,
  {isMade = false, holding}: Below = {},
): HeldFolder {
  const way = relative(root, folder)
  const names = way === '' ? [] : way.split(sep)
  if (names[0] === '..') throw new Error(`${folder} is outside ${root}.`)
  let held = holdFolder(root, holding)
  for (const name of names) {
    const outer = held
    try {
      if (isMade) makeEntry(outer, name)
      held = outer.below(name)
    } catch (error) {
      throw withGivenPath(error, outer)
    } finally {
      outer.close()
    }
  }
  return held
}

/** Creates a folder in another one; false if it exists. Throws the system's error. */
export function makeEntry(folder: HeldFolder, name: string): boolean {
  try {
    mkdirSync(folder.entry(name))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

/** Runs `work` with the held folder of `path` and the name in it. Throws what `holdBelow` throws. */
export function inFolderOf<T>(
  root: string,
  path: string,
  work: (folder: HeldFolder, name: string) => T,
): T {
  const folder = holdBelow(root, dirname(path))
  try {
    const result = work(folder, basename(path))
    folder.check()
    return result
  } catch (error) {
    throw withGivenPath(error, folder)
  } finally {
    folder.close()
  }
}

/** A folder of a single file that the user named: accessed by path, without checks. */
export function namedFolder(path: string): HeldFolder {
  return {
    path,
    entry: name => join(path, name),
    below: name => namedFolder(join(path, name)),
    check: () => undefined,
    close: () => undefined,
  }
}

/** A system error with the visible path in place of the one through a descriptor. */
export function withGivenPath(error: unknown, folder: HeldFolder): unknown {
  const {message, path} = (error ?? {}) as NodeJS.ErrnoException
  if (!(error instanceof Error) || path === undefined) return error
  const start = (whole: string) => whole.slice(0, -1)
  const known = (text: string) =>
    text.replaceAll(start(folder.entry('x')), () => start(join(folder.path, 'x')))
  return Object.assign(error, {message: known(message), path: known(path)})
}

function heldByDescriptor(path: string, descriptor: number): HeldFolder {
  const entry = (name: string) => `${DESCRIPTORS}/${descriptor}/${name}`
  return {
    path,
    entry,
    below(name) {
      const inner = join(path, name)
      const {O_RDONLY, O_DIRECTORY, O_NOFOLLOW} = constants
      try {
        return heldByDescriptor(inner, openSync(entry(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
      } catch (error) {
        const {code} = error as NodeJS.ErrnoException
        throw code === 'ENOTDIR' || code === 'ELOOP' ? noFolder(inner) : error
      }
    },
    check: () => undefined,
    close: () => closeSync(descriptor),
  }
}

interface Known {
  readonly path: string
  readonly device: bigint
  readonly inode: bigint
  readonly isFolder: boolean
}

/** `way` lists the folder that the user named, those below it, and the folder itself. */
function heldByPath(path: string, way: readonly Known[]): HeldFolder {
  function check(): void {
    for (const [index, known] of way.entries()) {
      const {device, inode, isFolder} = identityOf(index === 0 ? statSync : lstatSync, known.path)
      const isSame = device === known.device && inode === known.inode
      if (!isSame || !isFolder) throw noFolder(known.path)
    }
  }
  return {
    path,
    entry: name => join(path, name),
    below(name) {
      check()
      const inner = join(path, name)
      const known = {path: inner, ...identityOf(lstatSync, inner)}
      if (!known.isFolder) throw noFolder(inner)
      const held = heldByPath(inner, [...way, known])
      held.check()
      return held
    },
    check,
    close: () => undefined,
  }
}

function identityOf(look: typeof lstatSync, path: string): Omit<Known, 'path'> {
  const facts = look(path, {bigint: true})
  return {device: facts.dev, inode: facts.ino, isFolder: facts.isDirectory()}
}

function noFolder(path: string): TransferError {
  return new TransferError(
    'failed',
    `${path} is not a folder. drv does not follow symbolic links in a tree.`,
    'Remove it, then run the same command again.',
  )
}
