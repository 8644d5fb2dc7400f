import {lstatSync} from 'node:fs'
import {readdir} from 'node:fs/promises'
import {join} from 'node:path'
import {REMOVED_FOLDER} from '#lib/transfer/local/encode-name.js'
import {type HeldFolder, holdBelow} from '#lib/transfer/local/held-folder.js'
import type {IgnoreRules} from '#lib/transfer/local/rules.js'
import {entryFromFacts, unreadableEntry} from '#lib/transfer/local/scan.js'
import {isPart} from '#lib/transfer/target.js'
import {joinPath, parentOf} from '#lib/transfer/tree/steps.js'
import type {KnownItems, LocalView} from './compare-local.js'
import {isWithin, type LocalItem} from './local-item.js'

interface ViewOptions {
  /** The absolute path of the followed folder. */
  readonly root: string
  readonly rules: IgnoreRules
  readonly known: Pick<KnownItems, 'get'>
  /** The inodes of watched folders by path; updated. */
  readonly inodes: Map<string, number>
  readonly signal: AbortSignal
}

/** The local items, and items that cannot be uploaded, with the reasons by path. */
export interface ReadView extends LocalView {
  readonly problems: ReadonlyMap<string, string>
  /** The folders that are new, or replaced others of their names: nothing watches them. */
  readonly unwatched: readonly string[]
}

/**
 * Reads some folders, and everything in subfolders that are new or were replaced by others. If a folder is gone,
 * reads its parent. Throws the system's error if the followed folder itself cannot be read.
 */
export async function readView(folders: Iterable<string>, options: ViewOptions): Promise<ReadView> {
  const {root, rules, known, inodes, signal} = options
  const items = new Map<string, LocalItem>()
  const read = new Set<string>()
  const problems = new Map<string, string>()
  const excluded = new Set<string>()
  const left = new Map<string, boolean>()
  const unwatched: string[] = []
  const waiting = new Set(folders)
  for (const folder of waiting) {
    signal.throwIfAborted()
    const at = folder === '' ? [] : folder.split('/')
    if (await isLeft(at)) continue
    const path = join(root, ...at)
    try {
      const held = holdBelow(root, path)
      try {
        await readHeld(held, folder, at)
      } finally {
        held.close()
      }
    } catch (error) {
      if (folder === '') throw error
      const fault = unreadableEntry(error, {name: at.at(-1)!, path})
      // A folder that was removed or replaced by a file is an entry of its parent.
      if (!fault || !isDenied(error)) waiting.add(parentOf(folder))
      else problems.set(folder, fault.what)
    }
  }
  const kept = new Set([...excluded, ...problems.keys()])
  const isKept = (path: string) => kept.size > 0 && isWithin(path, kept)
  return {items, read, isKept, problems, unwatched}

  /** Whether a folder is in one that is not followed. */
  async function isLeft(at: readonly string[]): Promise<boolean> {
    if (at.length === 0) return false
    const path = at.join('/')
    const known = left.get(path)
    if (known !== undefined) return known
    const isOwn = at.at(-1) === REMOVED_FOLDER || (await rules.excludes(at, true))
    const is = isOwn || (await isLeft(at.slice(0, -1)))
    left.set(path, is)
    return is
  }

  async function readHeld(held: HeldFolder, folder: string, at: readonly string[]): Promise<void> {
    const children = await readdir(held.entry('.'), {withFileTypes: true})
    held.check()
    read.add(folder)
    for (const child of children) {
      const {name} = child
      if (name === REMOVED_FOLDER || isPart(name)) continue
      const path = joinPath(folder, name)
      if (await rules.excludes([...at, name], child.isDirectory())) excluded.add(path)
      else readEntry(held, name, path)
    }
  }

  function readEntry(held: HeldFolder, name: string, path: string): void {
    const place = {name, path: join(held.path, name), root}
    try {
      const facts = lstatSync(held.entry(name))
      if (facts.isDirectory()) addFolder({path, inode: facts.ino})
      else {
        const entry = entryFromFacts(facts, place)
        if (entry.kind === 'other') problems.set(path, entry.what)
        if (entry.kind === 'file') {
          const {size, modified} = entry
          items.set(path, {path, kind: 'file', inode: facts.ino, size, modified, entry})
        }
      }
    } catch (error) {
      const fault = unreadableEntry(error, place)
      if (fault) problems.set(path, fault.what)
    }
  }

  function addFolder({path, inode}: Pick<LocalItem, 'path' | 'inode'>): void {
    items.set(path, {path, kind: 'folder', inode, size: 0, modified: 0})
    const last = inodes.get(path)
    inodes.set(path, inode)
    const before = known.get(path)
    if (last !== inode) unwatched.push(path)
    const isKnown = before?.kind === 'folder' && (last ?? before.inode ?? inode) === inode
    if (!isKnown) waiting.add(path)
  }
}

function isDenied(error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')
}
