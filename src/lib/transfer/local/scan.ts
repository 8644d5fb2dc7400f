import {type Dirent, lstatSync, type Stats} from 'node:fs'
import {readdir, stat} from 'node:fs/promises'
import {join} from 'node:path'
import type {LocalEntry, LocalFolder} from '../tree/entries.js'
import {leftOutIf} from '../tree/leftout.js'
import {isPart} from '../target.js'
import {ASIDE} from './encode-name.js'
import type {Rules} from './rules.js'

/** Looks at a tree on this machine. Links are told of, never followed. */

/** Whether to look into a folder, by the names on the way to it. */
export type Wanted = (names: readonly string[]) => boolean | Promise<boolean>

export interface ScanOptions {
  /** Into which folders below to look. */
  readonly wanted?: Wanted
  /** What they leave out is not looked at. */
  readonly rules?: Rules
  /** The names on the way to the folder. */
  readonly at?: readonly string[]
}

/**
 * A folder with what is in it, sorted by name. Throws the system's error where the folder itself
 * cannot be read.
 */
export async function scanFolder(
  path: string,
  name: string,
  options: ScanOptions = {},
): Promise<LocalFolder> {
  const {rules, at = []} = options
  const all = await readdir(path, {withFileTypes: true})
  const entries: LocalEntry[] = []
  const leftOut = {folders: 0, files: 0}
  for (const child of all) {
    if (child.name === ASIDE) continue
    const isFolder = child.isDirectory()
    if (await rules?.leaves([...at, child.name], isFolder)) {
      leftOut[isFolder ? 'folders' : 'files'] += 1
    } else entries.push(...(await scanChild(path, child, options)))
  }
  return {kind: 'folder', name, path, entries: entries.sort(byName), ...leftOutIf(leftOut)}
}

/** What the person named: a link is followed here, for they chose it. Throws the system's error. */
export async function scanNamed(
  path: string,
  name: string,
  options?: ScanOptions,
): Promise<LocalEntry> {
  const facts = await stat(path)
  return facts.isDirectory() ? scanFolder(path, name, options) : plainEntry(facts, path, name)
}

/** A child that went away between two looks is none. */
async function scanChild(
  folder: string,
  child: Dirent,
  {wanted = () => true, rules, at = []}: ScanOptions,
): Promise<LocalEntry[]> {
  const {name} = child
  const path = join(folder, name)
  try {
    // On its way through the thread pool each look would take several times as long.
    if (!child.isDirectory()) return [plainEntry(lstatSync(path), path, name)]
    const below = [...at, name]
    if (!(await wanted(below))) return [{kind: 'folder', name, path, entries: [], isPartial: true}]
    return [await scanFolder(path, name, {wanted, rules, at: below})]
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    // Bytes that are no UTF-8 do not survive in a name, so nothing is found by it.
    const isGarbled = name.includes('\ufffd')
    if (code === 'ENOENT' && !isGarbled) return []
    const what = isGarbled ? 'under a name that is no UTF-8' : FAULTS[code ?? '']
    return [{kind: 'other', name, path, what: what ?? `unreadable (${code})`, isFault: true}]
  }
}

const FAULTS: Readonly<Record<string, string>> = {
  EACCES: 'something you may not read',
  EPERM: 'something you may not read',
}

function plainEntry(facts: Stats, path: string, name: string): LocalEntry {
  if (facts.isFile()) {
    if (isPart(name)) {
      return {kind: 'other', name, path, what: 'the rest of an interrupted download'}
    }
    return {kind: 'file', name, path, size: facts.size, modified: Math.floor(facts.mtimeMs)}
  }
  return {kind: 'other', name, path, what: kindOf(facts)}
}

function kindOf(facts: Stats): string {
  if (facts.isSymbolicLink()) return 'a symbolic link'
  if (facts.isFIFO()) return 'a named pipe'
  if (facts.isSocket()) return 'a socket'
  return 'a device'
}

function byName(one: LocalEntry, other: LocalEntry): number {
  return one.name < other.name ? -1 : 1
}
