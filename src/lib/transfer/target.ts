import {hash, randomBytes} from 'node:crypto'
import {linkSync, lstatSync, renameSync, rmSync, type Stats, statSync} from 'node:fs'
import {hostname} from 'node:os'
import {basename, dirname, join} from 'node:path'
import {crc32} from 'node:zlib'
import {markOfProcess} from '#lib/platform/process-identity.js'
import {cut} from '#lib/platform/sanitize.js'
import type {HeldFolder} from '#lib/transfer/local/held-folder.js'
import {TransferError} from './errors.js'

/** Where a download lands: a name of its own until it is whole, then the target's. */

/** Bytes of the target's name that its part's begins with, so that the rest fits into 255. */
const START = 120

/** Hexadecimal digits that tell the part of one target from that of another. */
const MARK = 12

/** How the names of parts end. */
export const PART = '.part'

/**
 * The file that holds a download under way: beside the target, so that it can be renamed, with a
 * name that a second run finds again. `different` keeps two runs at once apart.
 */
export function partOf(path: string, different = ''): string {
  return partWithMark(path, hash('sha256', basename(path) + different).slice(0, MARK))
}

/** The same with a mark of twelve hexadecimal digits. */
export function partWithMark(path: string, mark: string): string {
  return join(dirname(path), checked(`.${cut(basename(path), START)}.${mark}`))
}

/** The mark of a name that `isPart` knows. */
export function markOfPart(name: string): string {
  return name.slice(0, -checked('').length).slice(-MARK)
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
export function checkTarget(
  folder: HeldFolder,
  {path, overwrite}: {readonly path: string; readonly overwrite: boolean},
  part: string,
): void {
  const facts = look(folder.entry(basename(path)))
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
  removeSecondName(folder, basename(path), basename(part))
  throw taken(path)
}

/**
 * Removes a part that has got its target's name already, for a process was killed before it took the
 * part's own name away. Any other part may be one that another process writes to.
 */
export function removeSecondName(folder: HeldFolder, name: string, part: string): void {
  const facts = look(folder.entry(name))
  const left = look(folder.entry(part))
  if (!facts || left?.ino !== facts.ino || left.dev !== facts.dev) return
  rmSync(folder.entry(part), {force: true})
}

/** What is at a path. Not worth a way through the thread pool: each small file asks for it. */
function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, {throwIfNoEntry: false})
  } catch {
    return undefined
  }
}

/** Gives a whole file its name in its folder. A link that has that name is replaced, not followed. */
export function putInPlace(
  folder: HeldFolder,
  part: string,
  {path, overwrite}: {readonly path: string; readonly overwrite: boolean},
): void {
  const from = folder.entry(basename(part))
  const to = folder.entry(basename(path))
  folder.check()
  if (overwrite) renameSync(from, to)
  else {
    try {
      // Without a moment between look and deed; the part's own name goes afterwards.
      linkSync(from, to)
    } catch {
      // Some file systems know no links.
      if (look(to)) throw taken(path)
      renameSync(from, to)
    }
  }
  folder.check()
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

/**
 * Names for the files of downloads under way that one process alone writes to. Such a name says whose
 * it is, so that a later run can tell what a killed process left from what another one still writes.
 */

/** Hexadecimal digits for the machine, the process and chance: those of a mark in all. */
const HOST = 3
const PROCESS = 6

/** A new name beside `path`; no other process uses the same. */
export function ownPartOf(path: string): string {
  const pid = process.pid < 16 ** PROCESS ? process.pid : 0
  const chance = randomBytes(2).toString('hex').slice(1)
  return partWithMark(path, host() + pid.toString(16).padStart(PROCESS, '0') + chance)
}

/** Whether a process of this machine that works gave a file its name; this process began with none. */
export function isInUse(name: string): boolean {
  const pid = writerOf(name)
  return pid !== undefined && pid !== process.pid && markOfProcess(pid) !== undefined
}

/** Whether a process of this machine that has ended gave a file its name. */
export function isAbandoned(name: string): boolean {
  return writerOf(name) !== undefined && !isInUse(name)
}

/** The number of the process of this machine that writes to a file of this name, if one does. */
function writerOf(name: string): number | undefined {
  if (!isPart(name)) return undefined
  const mark = markOfPart(name)
  if (!mark.startsWith(host())) return undefined
  return Number.parseInt(mark.slice(HOST, HOST + PROCESS), 16) || undefined
}

function host(): string {
  return hash('sha256', hostname()).slice(0, HOST)
}
