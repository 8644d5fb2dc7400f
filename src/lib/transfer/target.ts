import {hash} from 'node:crypto'
import {linkSync, lstatSync, renameSync, statSync, type Stats, unlinkSync} from 'node:fs'
import {basename, dirname, join} from 'node:path'
import {crc32} from 'node:zlib'
import {cut} from '../api/text.js'
import {TransferError} from './errors.js'

/** Where a download lands: a name of its own until it is whole, then the target's. */

/** Bytes of the target's name that its part's begins with, so that the rest fits into 255. */
const START = 120

/** How the names of parts end. */
export const PART = '.part'

/**
 * The file that holds a download under way: beside the target, so that it can be renamed, with a
 * name that a second run finds again. `different` keeps two runs at once apart.
 */
export function partOf(path: string, different = ''): string {
  const name = basename(path)
  const mark = hash('sha256', name + different).slice(0, 12)
  return join(dirname(path), checked(`.${cut(name, START)}.${mark}`))
}

/** Whether a file's name is one of those that `partOf` gives. */
export function isPart(name: string): boolean {
  const start = name.slice(0, -checked('').length)
  return /^\..+\.[\da-f]{12}$/s.test(start) && checked(start) === name
}

/** Ends the name of a part with what tells it from those that people give. */
function checked(start: string): string {
  return start + crc32(start).toString(16).padStart(8, '0').slice(-4) + PART
}

/**
 * Throws `TransferError` for a target that no file can be put at. A part that has got the target's
 * name already loses its own.
 */
export function checkTarget(path: string, overwrite: boolean, part: string): void {
  const facts = look(path)
  if (facts?.isDirectory()) {
    throw new TransferError(
      'conflict',
      `${path} is a folder, and a file of that name should be written.`,
      'Give another path.',
    )
  }
  // Renaming a file over a device or a pipe would replace it for everybody.
  if (facts && !facts.isFile() && !facts.isSymbolicLink()) {
    throw new TransferError(
      'conflict',
      `${path} is no ordinary file, and a download never replaces such a thing.`,
      'Write to standard output instead: give - as the path, and redirect it.',
    )
  }
  if (!facts || overwrite) return
  const left = look(part)
  if (left?.ino === facts.ino && left.dev === facts.dev) unlinkSync(part)
  throw taken(path)
}

/** What is at a path. Not worth a way through the thread pool: each small file asks for it. */
function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, {throwIfNoEntry: false})
  } catch {
    return undefined
  }
}

/** Gives a whole file its name. A link that has that name is replaced, not followed. */
export function putInPlace(part: string, path: string, overwrite: boolean): void {
  if (overwrite) return renameSync(part, path)
  try {
    // Without a moment between look and deed; the part's own name goes afterwards.
    linkSync(part, path)
  } catch {
    // Some file systems know no links.
    if (look(path)) throw taken(path)
    renameSync(part, path)
  }
}

/** What went wrong with the disk, in words, or what was thrown. */
export function diskError(error: unknown, path: string): unknown {
  const {code} = (error ?? {}) as NodeJS.ErrnoException
  const folder = dirname(path)
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new TransferError(
        'failed',
        `${path} cannot be written: the disk is full.`,
        'Make room, then run the same command again: it goes on where it stopped.',
        {cause: error},
      )
    case 'EFBIG':
      return new TransferError('failed', `${path} would be too large for this disk.`)
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return unwritable(folder, error)
    case 'ELOOP':
      return new TransferError(
        'conflict',
        `${partOf(path)} is a link, and what comes first goes into a file of that name.`,
        'Remove the link, then try again.',
      )
    case 'ENOENT':
    case 'ENOTDIR':
      // What takes nothing, as /proc does, says the same.
      return isFolder(folder)
        ? unwritable(folder, error)
        : new TransferError('failed', `There is no folder ${folder}.`, 'Make it first.')
    default:
      return error
  }
}

function unwritable(folder: string, cause: unknown): TransferError {
  return new TransferError(
    'failed',
    `You may not write in ${folder}.`,
    'Choose another folder, or change its permissions.',
    {cause},
  )
}

function isFolder(path: string): boolean {
  return statSync(path, {throwIfNoEntry: false})?.isDirectory() ?? false
}

function taken(path: string): TransferError {
  return new TransferError(
    'conflict',
    `${path} exists already, and you did not name it.`,
    'Use --force to replace it, or give a path.',
  )
}
