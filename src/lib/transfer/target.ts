import {hash, randomBytes} from 'node:crypto'
import {lstatSync, renameSync, rmSync, type Stats, statSync} from 'node:fs'
import {hostname} from 'node:os'
import {basename, dirname, join} from 'node:path'
import {crc32} from 'node:zlib'
import {markOfProcess} from '#lib/platform/process-identity.js'
import {truncate} from '#lib/platform/sanitize.js'
import {reasonOf} from '#lib/platform/system-errors.js'
import type {HeldFolder} from '#lib/transfer/local/held-folder.js'
import {TransferError} from './errors.js'
import {placeFile, type ReplacedFile, replaceUnchanged} from './replace-file.js'

/** Writes downloads to partial files, and renames them when complete. */

/** Maximum bytes of the target's name in that of its partial file, so that the name fits into 255. */
const START = 120

/** Number of hexadecimal digits that distinguish the partial files of targets. */
const MARK = 12

/** Suffix of partial files. */
export const PART = '.part'

/**
 * The partial file for a target: in the same folder for renaming, under a name that a later run finds
 * again. `different` separates concurrent runs.
 */
export function partOf(path: string, different = ''): string {
  return partWithMark(path, hash('sha256', basename(path) + different).slice(0, MARK))
}

/** The same with a given mark of twelve hexadecimal digits. */
export function partWithMark(path: string, mark: string): string {
  return join(dirname(path), checked(`.${truncate(basename(path), START)}.${mark}`))
}

/** The mark in a name that `isPart` accepts. */
export function markOfPart(name: string): string {
  return name.slice(0, -checked('').length).slice(-MARK)
}

/** Whether a file name is one that `partOf` produces. */
export function isPart(name: string): boolean {
  if (!name.startsWith('.') || !name.endsWith(PART)) return false
  const start = name.slice(0, -checked('').length)
  return /^\..+\.[\da-f]{12}$/s.test(start) && checked(start) === name
}

/** The name of the target of a partial file, or its start if it is long; other names as they are. */
export function targetOfPart(name: string): string {
  return isPart(name) ? name.slice(1, -`.${'0'.repeat(MARK)}${checked('')}`.length) : name
}

/** Appends a checksum and the suffix, so that users' files are not taken for partial files. */
function checked(start: string): string {
  return start + crc32(start).toString(16).padStart(8, '0').slice(-4) + PART
}

/**
 * Throws `TransferError` if no file can be written at the target. If the target and a partial file are
 * the same file, removes the second name.
 */
export function checkDownloadTarget(
  folder: HeldFolder,
  {path, overwrite}: {readonly path: string; readonly overwrite: boolean},
  part: string,
): void {
  const facts = statIfExists(folder.entry(basename(path)))
  if (facts?.isDirectory()) {
    throw new TransferError(
      'conflict',
      `Cannot write ${path}: it is a folder.`,
      'Pass another path.',
    )
  }
  // Renaming a file over a device or a pipe would replace it for all programs.
  if (facts && !facts.isFile() && !facts.isSymbolicLink()) {
    throw new TransferError(
      'conflict',
      `Cannot write ${path}: it is not a regular file, and drv does not replace special files.`,
      'To write to it, pass - as the path and redirect standard output.',
    )
  }
  if (!facts || overwrite) return
  removeSecondName(folder, basename(path), basename(part))
  throw taken(path)
}

/**
 * Removes the name of a partial file that already has its target's name, because a process was killed
 * in between. Other partial files may be in use by another process.
 */
export function removeSecondName(folder: HeldFolder, name: string, part: string): void {
  const facts = statIfExists(folder.entry(name))
  const left = statIfExists(folder.entry(part))
  if (!facts || left?.ino !== facts.ino || left.dev !== facts.dev) return
  rmSync(folder.entry(part), {force: true})
}

/** Stats of a path. Synchronous, because the thread pool would slow down many small files. */
function statIfExists(path: string): Stats | undefined {
  try {
    return lstatSync(path, {throwIfNoEntry: false})
  } catch {
    return undefined
  }
}

/** Moves a complete file to its target. Replaces a link instead of following it. */
export function putInPlace(
  folder: HeldFolder,
  part: string,
  {
    path,
    overwrite,
    replaced,
  }: {
    readonly path: string
    readonly overwrite: boolean
    readonly replaced?: ReplacedFile
  },
): void {
  const from = folder.entry(basename(part))
  const to = folder.entry(basename(path))
  folder.check()
  if (replaced) replaceUnchanged(folder, {part, path, replaced})
  else if (overwrite) renameSync(from, to)
  // Link instead of rename: atomic, and fails if the target exists. The old name is removed later.
  else if (!placeFile(from, to)) throw taken(path)
  folder.check()
}

/** The error to report for a disk error; other errors unchanged. */
export function diskError(error: unknown, path: string): unknown {
  const {code} = (error ?? {}) as NodeJS.ErrnoException
  const folder = dirname(path)
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new TransferError(
        'failed',
        `Cannot write ${path}: the disk is full.`,
        'Free some space, then run the same command again to resume.',
        {cause: error},
      )
    case 'EFBIG':
      return new TransferError(
        'failed',
        `Cannot write ${path}: it is too large for this file system.`,
      )
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return unwritable(folder, reasonOf(error), error)
    case 'ELOOP':
      return new TransferError(
        'conflict',
        `${partOf(path)} is a symbolic link, but drv uses this path for the partial download.`,
        'Remove the link, then try again.',
      )
    case 'ENOENT':
    case 'ENOTDIR':
      // File systems that accept no files, such as /proc, report the same.
      return isFolder(folder)
        ? unwritable(folder, 'its file system accepts no files', error)
        : new TransferError('failed', `The folder ${folder} does not exist.`, 'Create it first.')
    default:
      return error
  }
}

function unwritable(folder: string, reason: string, cause: unknown): TransferError {
  return new TransferError(
    'failed',
    `Cannot write to the folder ${folder}: ${reason}.`,
    'Make it writable, or choose another folder.',
    {cause},
  )
}

function isFolder(path: string): boolean {
  return statSync(path, {throwIfNoEntry: false})?.isDirectory() ?? false
}

function taken(path: string): TransferError {
  return new TransferError(
    'conflict',
    `${path} already exists.`,
    'Use --force to replace it, or pass another path.',
  )
}

/**
 * Names for partial files that only one process writes to. The name identifies that process, so that a
 * later run can distinguish leftovers from files in use.
 */

/** Hexadecimal digits for the machine and the process; the rest of the mark is random. */
const HOST = 3
const PROCESS = 6

/** A new name beside `path` that no other process uses. */
export function ownPartOf(path: string): string {
  const pid = process.pid < 16 ** PROCESS ? process.pid : 0
  const chance = randomBytes(2).toString('hex').slice(1)
  return partWithMark(path, host() + pid.toString(16).padStart(PROCESS, '0') + chance)
}

/** Whether another running process of this machine uses the file with this name. */
export function isInUse(name: string): boolean {
  const pid = writerOf(name)
  return pid !== undefined && pid !== process.pid && markOfProcess(pid) !== undefined
}

/** Whether a process of this machine that has ended left the file with this name. */
export function isAbandoned(name: string): boolean {
  return writerOf(name) !== undefined && !isInUse(name)
}

/** The ID of the process of this machine that a file name contains; `undefined` if none. */
function writerOf(name: string): number | undefined {
  if (!isPart(name)) return undefined
  const mark = markOfPart(name)
  if (!mark.startsWith(host())) return undefined
  return Number.parseInt(mark.slice(HOST, HOST + PROCESS), 16) || undefined
}

function host(): string {
  return hash('sha256', hostname()).slice(0, HOST)
}
