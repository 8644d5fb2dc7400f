import {join} from 'node:path'
import {localName} from '#lib/transfer/local/names.js'
import type {IgnoreRules} from '#lib/transfer/local/rules.js'
import {isPart} from '#lib/transfer/target.js'
import {joinPath} from '#lib/transfer/tree/steps.js'
import type {FolderPair, RemoteAncestor} from '#lib/transfer/tree/walk.js'
import type {TreeDraft, TreeReader} from './tree-state.js'

/** The folders of a remembered tree as pairs to plan. */

interface PairOptions {
  /** The folder that paths are relative to. */
  readonly root: string
  /** The path of the tree below it, and the names that lead there. */
  readonly prefix: string
  readonly rules: IgnoreRules
}

/** The listed folders that exist on both sides, except those that need no plan; outer ones first. */
export function pairsToPlan(
  tree: TreeReader,
  needsNoPlan: (folderId: string) => boolean,
  options: PairOptions,
): FolderPair[] {
  const pairs: FolderPair[] = []
  for (const id of tree.folderIds()) {
    const pair = needsNoPlan(id) ? undefined : pairOf(tree, id, options)
    if (pair) pairs.push(pair)
  }
  const depthOf = ({path}: FolderPair) => (path === '' ? 0 : path.split('/').length)
  return pairs.sort((one, other) => depthOf(one) - depthOf(other))
}

function pairOf(
  tree: TreeReader,
  id: string,
  {root, prefix, rules}: PairOptions,
): FolderPair | undefined {
  const {driveId} = tree.head!
  const below = tree.pathOf(id)
  if (below === undefined || below.split('/').some(isPart)) return undefined
  const path = prefix === '' || below === '' ? prefix + below : joinPath(prefix, below)
  const way = wayTo(tree, id)
  if (!way) return undefined
  const {titles, ids} = way
  const at = path === '' ? [] : path.split('/')
  const isWindows = process.platform === 'win32'
  const names = titles.map(title => localName(title, {isWindows}))
  const above = ids.reduce<RemoteAncestor | undefined>(
    (outer, one) => ({id: one, above: outer}),
    undefined,
  )
  const title = tree.node(id)?.remote.title ?? ''
  return {
    path,
    names: prefix === '' ? names : [prefix, ...names],
    remote: {kind: 'folder', id, title, ...(driveId !== undefined && {driveId})},
    local: {
      ...{kind: 'folder', name: at.at(-1) ?? '', path: join(root, path)},
      ...{entries: [], isPartial: true, unread: {root, rules, at}},
    },
    ...(above && {above}),
  }
}

/**
 * The titles that lead from the root to an item, and the IDs of the folders above it; `undefined` if it is not in the
 * remote tree.
 */
export function wayTo(
  tree: TreeReader,
  id: string,
): {readonly titles: string[]; readonly ids: string[]} | undefined {
  const titles: string[] = []
  const ids: string[] = []
  for (let at = id; at !== tree.head!.rootId;) {
    const node = tree.node(at)
    if (!node) return undefined
    titles.unshift(node.remote.title)
    at = node.parent
    ids.unshift(at)
  }
  return {titles, ids}
}

/**
 * Forgets where items are that were moved or renamed remotely, and everything below them, so that they are
 * transferred to their new paths like new ones.
 */
export function forgetMoves(draft: TreeDraft): void {
  for (const {remote, parent, local} of draft.elsewhere()) {
    if (!local?.isMoved) continue
    forgetLocal(draft, remote.id)
    draft.settle(parent, undefined)
  }
}

/** Forgets where an item and everything in it is. */
export function forgetLocal(draft: TreeDraft, id: string): void {
  draft.setLocal(id, undefined)
  draft.settle(id, undefined)
  for (const {remote, local} of draft.childrenOf(id)) {
    if (local?.parent === id) forgetLocal(draft, remote.id)
  }
}
