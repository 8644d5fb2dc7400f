import {groupBy} from '#lib/platform/values.js'
import {isPart} from '#lib/transfer/target.js'
import {parentOf} from '#lib/transfer/tree/steps.js'
import {type KnownItem, lastName, type LocalItem, movedPath} from './local-item.js'

/** Compares a local tree, or some of its folders, with the known items. Pure. */

/** The local items of the folders that were read. */
export interface LocalView {
  /** By path. */
  readonly items: ReadonlyMap<string, LocalItem>
  /** The folders whose entries are in `items`. */
  readonly read: ReadonlySet<string>
  /** Paths that were not compared, such as excluded and unreadable ones. */
  readonly isKept: (path: string) => boolean
}

/** The known items by path. */
export interface KnownItems {
  get(path: string): KnownItem | undefined
  /** The entries directly in a folder. */
  children(folder: string): Iterable<KnownItem>
  /** All entries below a folder. */
  below(folder: string): Iterable<KnownItem>
}

/** A known item, and its current state. */
export interface LocalPair {
  readonly known: KnownItem
  readonly item: LocalItem
}

export interface LocalChanges {
  /** Known items that have moved, or whose content may have changed; outer ones first. */
  readonly pairs: readonly LocalPair[]
  /** New items, outer ones first. */
  readonly appeared: readonly LocalItem[]
  /** Known items that no longer exist, with their contents; outer ones first. */
  readonly vanished: readonly KnownItem[]
}

/**
 * The differences between a view and the known items. An item that disappeared in one place and appeared in
 * another with the same inode was moved: a file if its size and time are the same, a folder if it still has some
 * of its entries, because a system reuses inodes.
 */
export function compareLocal(known: KnownItems, view: LocalView): LocalChanges {
  const vanished = new Map<string, KnownItem>()
  const appeared = new Map<string, LocalItem>()
  const pairs: LocalPair[] = []
  const children = groupBy([...view.items.values()], ({path}) => parentOf(path))

  for (const folder of [...view.read].sort(byDepth)) {
    for (const item of children.get(folder) ?? []) {
      const before = known.get(item.path)
      if (before?.kind !== item.kind) appeared.set(item.path, item)
      else if (mayDiffer(before, item)) pairs.push({known: before, item})
    }
    for (const before of known.children(folder)) {
      const isThere = view.items.get(before.path)?.kind === before.kind
      if (isThere || view.isKept(before.path)) continue
      vanished.set(before.path, before)
      if (before.kind === 'file') continue
      for (const inner of known.below(before.path)) vanished.set(inner.path, inner)
    }
  }

  const byInode = groupBy([...appeared.values()], ({inode}) => String(inode))
  for (const before of [...vanished.values()].sort(byDepth)) {
    if (before.inode === undefined || !vanished.has(before.path)) continue
    const item = (byInode.get(String(before.inode)) ?? []).find(
      one => appeared.has(one.path) && isSameItem(before, one),
    )
    if (item) move(before, item)
  }
  return sorted({pairs, appeared: [...appeared.values()], vanished: [...vanished.values()]})

  function move(before: KnownItem, item: LocalItem): void {
    vanished.delete(before.path)
    appeared.delete(item.path)
    pairs.push({known: before, item})
    if (before.kind === 'file') return
    for (const inner of known.below(before.path)) {
      const now = appeared.get(movedPath(inner.path, before.path, item.path))
      if (now?.kind !== inner.kind || !vanished.has(inner.path)) continue
      vanished.delete(inner.path)
      appeared.delete(now.path)
      pairs.push({known: inner, item: now})
    }
  }

  function isSameItem(before: KnownItem, item: LocalItem): boolean {
    if (before.kind !== item.kind) return false
    if (before.kind === 'file') return !isTouched(before, item)
    const names = [...known.children(before.path)]
      .map(({path}) => lastName(path))
      .filter(name => !isPart(name))
    const there = new Set((children.get(item.path) ?? []).map(({path}) => lastName(path)))
    return names.length === 0 ? there.size === 0 : names.some(name => there.has(name))
  }
}

/**
 * The folders to read as well, because they contain unknown folders of changed items: another process forgot them.
 */
export function unreadFolders(
  {pairs, appeared}: Pick<LocalChanges, 'pairs' | 'appeared'>,
  known: KnownItems,
  read: ReadonlySet<string>,
): string[] {
  const items = [...appeared, ...pairs.map(({item}) => item)]
  const isThere = new Set(items.map(({path}) => path))
  const found = new Set<string>()
  for (const {path} of items) {
    for (let at = parentOf(path); at !== ''; at = parentOf(at)) {
      const outer = parentOf(at)
      if (isThere.has(at) || known.get(at)?.kind === 'folder' || read.has(outer)) continue
      found.add(outer)
    }
  }
  return [...found]
}

/** Files that disappeared, by the size of new ones, whose content decides whether they were moved. */
export function mayBeMoved({appeared, vanished}: LocalChanges): LocalItem[] {
  const sizes = new Set(vanished.map(({kind, size}) => (kind === 'file' ? size : undefined)))
  return appeared.filter(({kind, size}) => kind === 'file' && sizes.has(size))
}

/**
 * The same changes, in which files that disappeared and appeared elsewhere with the same content are moves.
 * Prefers the same name, then the same folder. `sums` has MD5s by path.
 */
export function pairByContent(
  {pairs, appeared, vanished}: LocalChanges,
  sums: ReadonlyMap<string, string>,
): LocalChanges {
  const gone = groupBy(
    vanished.filter(({kind, md5}) => kind === 'file' && md5 !== undefined),
    ({md5}) => md5!,
  )
  const moved: LocalPair[] = []
  const news = new Set<LocalItem>()
  for (const rank of RANKS) {
    for (const item of appeared) {
      if (item.kind !== 'file' || news.has(item)) continue
      const some = gone.get(sums.get(item.path) ?? '') ?? []
      const at = some.findIndex(before => before.size === item.size && rank(before, item))
      if (at < 0) continue
      moved.push({known: some[at]!, item})
      news.add(item)
      some.splice(at, 1)
    }
  }
  const olds = new Set(moved.map(pair => pair.known))
  return sorted({
    pairs: [...pairs, ...moved],
    appeared: appeared.filter(item => !news.has(item)),
    vanished: vanished.filter(before => !olds.has(before)),
  })
}

const RANKS: ReadonlyArray<(before: KnownItem, item: LocalItem) => boolean> = [
  (before, item) => lastName(before.path) === lastName(item.path),
  (before, item) => parentOf(before.path) === parentOf(item.path),
  () => true,
]

/** The changes without items whose content comes from something else, such as exported documents. */
export function withoutCopies({pairs, appeared, vanished}: LocalChanges): LocalChanges {
  return {
    pairs: pairs.filter(({known}) => !known.isCopy),
    appeared,
    vanished: vanished.filter(({isCopy}) => !isCopy),
  }
}

/** The outermost of some items. */
export function outermost<T extends {readonly path: string}>(items: readonly T[]): T[] {
  const paths = new Set(items.map(({path}) => path))
  const hasOuter = (path: string): boolean =>
    path !== '' && (paths.has(parentOf(path)) || hasOuter(parentOf(path)))
  return items.filter(({path}) => !hasOuter(path))
}

/** Whether a file's content may differ, or another folder has its name. */
function isTouched({kind, size, mtime, inode}: KnownItem, item: LocalItem): boolean {
  if (kind === 'folder') return inode !== item.inode
  if (inode !== undefined && inode !== item.inode) return true
  return size !== item.size || Math.abs((mtime ?? NaN) - item.modified) > 1 || mtime === undefined
}

/** Whether the content of a known item has to be compared: it is touched, or an interrupted push may have sent another one. */
export function mayDiffer(known: KnownItem, item: LocalItem): boolean {
  return known.sent !== undefined || isTouched(known, item)
}

function sorted({pairs, appeared, vanished}: LocalChanges): LocalChanges {
  return {
    pairs: [...pairs].sort((one, other) => compareDepth(one.item.path, other.item.path)),
    appeared: [...appeared].sort(byDepth),
    vanished: [...vanished].sort(byDepth),
  }
}

type Placed = string | {readonly path: string}

function byDepth(one: Placed, other: Placed): number {
  const path = (placed: Placed) => (typeof placed === 'string' ? placed : placed.path)
  return compareDepth(path(one), path(other))
}

function compareDepth(one: string, other: string): number {
  const depth = (path: string) => (path === '' ? 0 : path.split('/').length)
  return depth(one) - depth(other) || (one < other ? -1 : one > other ? 1 : 0)
}
