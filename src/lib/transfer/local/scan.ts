import {lstatSync, type Stats} from 'node:fs'
import {readdir, stat} from 'node:fs/promises'
import {join, resolve} from 'node:path'
import {TransferError} from '#lib/transfer/errors.js'
import {isAbandoned, isInUse, isPart} from '#lib/transfer/target.js'
import type {
  LocalEntry,
  LocalFile,
  LocalFolder,
  LocalOther,
  Unread,
} from '#lib/transfer/tree/entries.js'
import {excludedIf} from '#lib/transfer/tree/exclusions.js'
import {REMOVED_FOLDER} from './encode-name.js'
import {type HeldFolder, holdBelow, holdFolder, inFolderOf} from './held-folder.js'
import type {IgnoreRules} from './rules.js'

/** Scans local trees. Symbolic links are reported, never followed. */

export interface ScanOptions {
  /** Whether to leave subfolders unread. */
  readonly isShallow?: boolean
  /** Rules for excluding entries, which are not read. */
  readonly rules?: IgnoreRules
  /** The names that lead to the folder. */
  readonly at?: readonly string[]
}

/**
 * A folder and its entries, sorted by name. Throws the system's error if the folder itself cannot be
 * read.
 */
export async function scanFolder(
  path: string,
  name: string,
  options: ScanOptions = {},
): Promise<LocalFolder> {
  const folder = holdFolder(path)
  try {
    return await scanHeld(folder, {name, path, root: resolve(path)}, options)
  } finally {
    folder.close()
  }
}

/**
 * Reads an unread folder of a tree, with its subfolders unless `isShallow`. Returns a `LocalOther` if it
 * cannot be read, and an empty folder if it no longer exists.
 */
export async function readFolder(
  {name, title, path, unread}: LocalFolder & {readonly unread: Unread},
  isShallow: boolean,
): Promise<LocalFolder | LocalOther> {
  const {root, rules, at} = unread
  try {
    const folder = holdBelow(root, path)
    try {
      return {...(await scanHeld(folder, {name, path, root}, {isShallow, rules, at})), title}
    } finally {
      folder.close()
    }
  } catch (error) {
    return unreadableEntry(error, {name, path}) ?? {kind: 'folder', name, path, entries: []}
  }
}

/** An entry of a folder, and the root of the scan. */
interface Place {
  readonly name: string
  readonly path: string
  readonly root: string
}

async function scanHeld(
  folder: HeldFolder,
  {name, path, root}: Place,
  options: ScanOptions,
): Promise<LocalFolder> {
  const {rules, at = []} = options
  const all = await readdir(folder.entry('.'), {withFileTypes: true})
  folder.check()
  const entries: LocalEntry[] = []
  const leftOut = {folders: 0, files: 0}
  for (const child of all) {
    if (child.name === REMOVED_FOLDER || isInUse(child.name)) continue
    const isFolder = child.isDirectory()
    if (await rules?.excludes([...at, child.name], isFolder)) {
      leftOut[isFolder ? 'folders' : 'files'] += 1
    } else {
      const place = {name: child.name, path: join(path, child.name), root}
      entries.push(...(await scanChild(folder, place, isFolder, options)))
    }
  }
  return {kind: 'folder', name, path, entries: entries.sort(byName), ...excludedIf(leftOut)}
}

/** The entry that the user named, following a link. Throws the system's error. */
export async function scanNamed(
  path: string,
  name: string,
  options?: ScanOptions,
): Promise<LocalEntry> {
  const facts = await stat(path)
  return facts.isDirectory() ? scanFolder(path, name, options) : entryFromFacts(facts, {name, path})
}

/** An entry of a folder; none if it disappears meanwhile. */
async function scanChild(
  folder: HeldFolder,
  place: Place,
  isFolder: boolean,
  {isShallow, rules, at = []}: ScanOptions,
): Promise<LocalEntry[]> {
  const {name, path} = place
  try {
    // Synchronous, because the thread pool would take several times as long.
    if (!isFolder) return [entryFromFacts(lstatSync(folder.entry(name)), place)]
    const below = [...at, name]
    const inner = folder.below(name)
    try {
      const unread = {root: place.root, rules, at: below}
      if (isShallow) return [{kind: 'folder', name, path, entries: [], isPartial: true, unread}]
      return [await scanHeld(inner, place, {rules, at: below})]
    } finally {
      inner.close()
    }
  } catch (error) {
    const fault = unreadableEntry(error, place)
    return fault ? [fault] : []
  }
}

/** An unreadable entry; `undefined` if it no longer exists. */
export function unreadableEntry(
  error: unknown,
  {name, path}: Pick<Place, 'name' | 'path'>,
): LocalOther | undefined {
  const {code} = error as NodeJS.ErrnoException
  // Bytes that are not UTF-8 are lost in the name, so the entry cannot be opened.
  const isGarbled = name.includes('\ufffd')
  if (code === 'ENOENT' && !isGarbled) return undefined
  const fault = error instanceof TransferError ? NO_FOLDER : `an unreadable entry (${code})`
  const what = isGarbled ? 'an entry whose name is not valid UTF-8' : (FAULTS[code ?? ''] ?? fault)
  return {kind: 'other', name, path, what, isFault: true}
}

const NO_FOLDER = 'no longer a folder; drv does not follow symbolic links'

const FAULTS: Readonly<Record<string, string>> = {
  EACCES: 'an unreadable entry (permission denied)',
  EPERM: 'an unreadable entry (permission denied)',
}

/** The entry for the stats of anything but a folder. */
export function entryFromFacts(
  facts: Stats,
  {name, path, root}: Omit<Place, 'root'> & Partial<Place>,
): LocalEntry {
  if (facts.isFile()) {
    if (isPart(name)) {
      return {kind: 'other', name, path, what: 'a partial download'}
    }
    const {size, mtimeMs, ino: inode} = facts
    return {kind: 'file', name, path, root, size, modified: Math.floor(mtimeMs), inode}
  }
  return {kind: 'other', name, path, what: kindOf(facts)}
}

function kindOf(facts: Stats): string {
  if (facts.isSymbolicLink()) return 'a symbolic link'
  if (facts.isFIFO()) return 'a named pipe'
  if (facts.isSocket()) return 'a socket'
  return 'a device'
}

/**
 * Names of partial files that killed processes left in a folder; `kept` has the local paths of those
 * that a later run will resume.
 */
export function abandonedIn({entries}: LocalFolder, kept: ReadonlySet<string>): string[] {
  return entries.flatMap(({name, path}) => (isAbandoned(name) && !kept.has(path) ? [name] : []))
}

/** The current state of a file in a tree; `undefined` if it is not a file. Throws what `inFolderOf` throws. */
export function scanFile(root: string, path: string): LocalFile | undefined {
  const entry = inFolderOf(root, path, (folder, name) =>
    entryFromFacts(lstatSync(folder.entry(name)), {name, path, root}),
  )
  return entry.kind === 'file' ? entry : undefined
}

function byName(one: LocalEntry, other: LocalEntry): number {
  return one.name < other.name ? -1 : 1
}
