import {readdirSync} from 'node:fs'
import {join} from 'node:path'
import {REMOVED_FOLDER} from '#lib/transfer/local/encode-name.js'
import {localFacts} from '#lib/transfer/local/local-facts.js'
import {isAside, isAsRemembered, type LocalState, type TreeNode} from './tree-node.js'
import type {TreeReader} from './tree-state.js'

/** The local place of an item. */
type LocalPlace = Pick<LocalState, 'parent' | 'name'>

/**
 * Finds where items are that were renamed or moved here, by their inodes: files with the same size and time, folders
 * that still have some of their entries, because a system reuses inodes. Looks at the unknown items in known folders,
 * at the first call. `local` returns the absolute path for one in the tree.
 */
export function renamedFinder(
  tree: TreeReader,
  local: (path: string) => string,
): (node: TreeNode) => LocalPlace | undefined {
  let byInode: Map<number, LocalPlace> | undefined
  return node => {
    const inode = node.local?.file?.inode ?? node.local?.inode
    if (inode === undefined) return undefined
    byInode ??= unknownItems(tree, local)
    const place = byInode.get(inode)
    if (!place || tree.at(place.parent, place.name)) return undefined
    const folder = tree.pathOf(place.parent)
    const isIt = folder !== undefined && isSameItem(tree, node, join(local(folder), place.name))
    return isIt ? place : undefined
  }
}

function unknownItems(tree: TreeReader, local: (path: string) => string): Map<number, LocalPlace> {
  const found = new Map<number, LocalPlace>()
  for (const parent of tree.folderIds()) {
    const path = tree.pathOf(parent)
    if (path === undefined) continue
    for (const name of namesIn(local(path))) {
      if (name === REMOVED_FOLDER || tree.at(parent, name)) continue
      const facts = localFacts(join(local(path), name))
      if (facts) found.set(facts.ino, {parent, name})
    }
  }
  return found
}

function isSameItem(tree: TreeReader, {remote, local}: TreeNode, path: string): boolean {
  const facts = localFacts(path)
  if (!facts || !local) return false
  if (local.file) {
    const {size, mtimeMs, ino: inode} = facts
    const now = {size, modified: Math.floor(mtimeMs), inode}
    return facts.isFile() && isAsRemembered(local.file, now)
  }
  if (!facts.isDirectory() || facts.ino !== local.inode) return false
  const names = namesIn(path)
  const wasEmpty = tree.childrenOf(remote.id).every(one => !one.local || isAside(one))
  return (names.length === 0 && wasEmpty) || names.some(name => tree.at(remote.id, name))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
