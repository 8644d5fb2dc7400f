import {linkSync, lstatSync, renameSync, rmSync} from 'node:fs'
import {basename} from 'node:path'
import {TransferError} from './errors.js'
import type {HeldFolder} from './local/held-folder.js'
import {localFacts} from './local/local-facts.js'

/** Replaces, moves and removes local files without losing a version that another program saves meanwhile. */

/** A local file as it was when the decision was made to replace it. */
export interface ScannedState {
  /** Size in bytes. */
  readonly size: number
  /** Modification time, in milliseconds since 1970. */
  readonly modified: number
  readonly inode?: number
}

/** A file that may be replaced only while it is unchanged. */
export interface ReplacedFile extends ScannedState {
  /** Opens a place for it. Throws the system's error. */
  openAside(): AsidePlace
  /** Called when it is at a path of such a place: a program that has it open may still write to it. */
  onAside(path: string): void
}

/** A path that no file has, in a folder that is held until `close`. */
export interface AsidePlace {
  readonly path: string
  /** The path while the folder is held. */
  readonly entry: string
  close(): void
}

/** Another program has changed a file that was to be replaced. Nothing was lost. */
export class FileChangedError extends TransferError {
  constructor(path: string) {
    super('conflict', `${path} was changed by another program.`, 'Run the same command again.')
    this.name = 'FileChangedError'
  }
}

/**
 * Gives a complete file the name of one that must be unchanged. That one is put aside first, because between a check
 * and a rename another program could replace it. Throws `FileChangedError`, and the system's error.
 */
export function replaceUnchanged(
  folder: HeldFolder,
  {
    part,
    path,
    replaced,
  }: {readonly part: string; readonly path: string} & {
    readonly replaced: ReplacedFile
  },
): void {
  const to = folder.entry(basename(path))
  const aside = replaced.openAside()
  try {
    renameSync(to, aside.entry)
    const isUnchanged = isInState(aside.entry, replaced)
    const isPlaced = placeFile(isUnchanged ? folder.entry(basename(part)) : aside.entry, to)
    if (!isUnchanged && isPlaced) rmSync(aside.entry, {force: true})
    else replaced.onAside(aside.path)
    if (!isUnchanged || !isPlaced) throw new FileChangedError(path)
  } catch (error) {
    throw hasCode(error, 'ENOENT') ? new FileChangedError(path) : error
  } finally {
    aside.close()
  }
}

/** Moves a file to a name that must be free, without a moment in which it has neither. Throws the system's error. */
export function moveFile(
  folders: {readonly from: HeldFolder; readonly to: HeldFolder},
  names: {readonly from: string; readonly to: string; readonly aside: string},
): void {
  const {from, to} = folders
  const [old, next] = [from.entry(names.from), to.entry(names.to)]
  try {
    linkSync(old, next)
  } catch (error) {
    // Some file systems do not support hard links.
    if (hasCode(error, 'EEXIST') || lstatSync(next, {throwIfNoEntry: false})) throw error
    renameSync(old, next)
    return
  }
  const aside = from.entry(names.aside)
  renameSync(old, aside)
  // Another program may have saved a new file under the old name meanwhile.
  const isSame = lstatSync(aside).ino === lstatSync(next).ino
  if (isSame || placeFile(aside, old)) rmSync(aside, {force: true})
}

/** Whether a file is in a state. */
export function isInState(path: string, {size, modified, inode}: ScannedState): boolean {
  const facts = localFacts(path)
  if (!facts?.isFile() || facts.size !== size) return false
  if (inode !== undefined && facts.ino !== inode) return false
  return Math.abs(facts.mtimeMs - modified) < 2
}

/** Gives a file a second name; false if there is another file with that name. Throws the system's error. */
export function placeFile(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    // Some file systems do not support hard links.
    if (lstatSync(to, {throwIfNoEntry: false})) return false
    renameSync(from, to)
    return true
  }
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code
}
