import {basename} from 'node:path'
import {titleForName} from '#lib/transfer/local/encode-name.js'
import {
  assignNames,
  freeName,
  nameKey,
  type NameRules,
  plainName,
  titleKey,
} from '#lib/transfer/local/names.js'
import {joinPath, parentOf} from '#lib/transfer/tree/steps.js'
import {isAside, type TreeNode} from './tree-node.js'
import type {TreeReader} from './tree-state.js'

/**
 * Two machines that create items of the same name see each other's item second, and an item keeps a number after the
 * other one is gone. So that all machines end with the same tree, names depend only on the items of the remote folder:
 * the oldest item has the plain name.
 */

/** The items of a folder that compete for local names: not those whose removal is still to be pushed. */
export function namedNodes(tree: TreeReader, folderId: string): TreeNode[] {
  return tree.childrenOf(folderId).filter(node => node.remote.kind !== 'other' && !isAside(node))
}

/** The documents of a folder that have copies here, also in other folders. */
export function copiesIn(tree: TreeReader, folderId: string): TreeNode[] {
  return tree
    .childrenOf(folderId)
    .filter(node => node.remote.kind === 'other' && node.local && !isAside(node))
}

/** The local names of items that are where they belong, by ID. They keep them when others come. */
export function namesHere(nodes: Iterable<TreeNode>): Map<string, string> {
  const names = new Map<string, string>()
  for (const node of nodes) {
    const {remote, parent, local} = node
    const isPlaced = local?.parent === parent && !local.isMoved && !isAside(node)
    if (isPlaced) names.set(remote.id, local.name)
  }
  return names
}

/** The local names by ID of items of a folder that should have other ones. Pure. */
export function namesToCorrect(
  tree: TreeReader,
  folderId: string,
  rules: NameRules,
): Map<string, string> {
  const wrong = new Map<string, string>()
  const nodes = namedNodes(tree, folderId)
  if (!mayDiffer(nodes, rules)) return wrong
  const named = assignNames(
    nodes.map(({remote}) => remote),
    rules,
  )
  for (const {entry, name} of named) {
    const {local} = tree.node(entry.id)!
    if (!local || local.isMoved || local.parent !== folderId || local.name === name) continue
    const isPlain = name === plainName(entry, rules) && isNameOf(local.name, entry.title, rules)
    if (!isPlain) wrong.set(entry.id, name)
  }
  return wrong
}

/** Whether an item has another name than its title, or two have the same one. */
function mayDiffer(nodes: readonly TreeNode[], rules: NameRules): boolean {
  const keys = new Set<string>()
  for (const {remote, local} of nodes) {
    const key = nameKey(plainName(remote, rules), rules)
    if (keys.has(key) || (local && !isNameOf(local.name, remote.title, rules))) return true
    keys.add(key)
  }
  return false
}

/** Whether a local name stands for a title, encoded or as it is. */
function isNameOf(name: string, title: string, {isWindows}: NameRules): boolean {
  return titleKey(titleForName(name, isWindows)) === titleKey(title)
}

/** A change of the name of a local item. Paths are relative to the root of the tree. */
export interface Correction {
  readonly id: string
  readonly path: string
  readonly to: string
}

/**
 * The next change that leads to the names of `namesToCorrect`; `undefined` after the last. Removes the names from
 * `wrong` that items have, or cannot get because something else has them. `exists` reports whether a path exists.
 */
export function nextCorrection(
  wrong: Map<string, string>,
  tree: TreeReader,
  exists: (path: string) => boolean,
): Correction | undefined {
  for (let before = Infinity; wrong.size < before;) {
    before = wrong.size
    for (const [id, name] of wrong) {
      const path = tree.pathOf(id)
      if (path === undefined || basename(path) === name || !exists(path)) {
        wrong.delete(id)
        continue
      }
      const to = joinPath(parentOf(path), name)
      if (!exists(to)) return {id, path, to}
      const blocking = tree.nodeAt(to)
      if (!blocking || !wrong.has(blocking.remote.id)) wrong.delete(id)
    }
  }
  // Items that have each other's names: one of them gets a free name first.
  for (const [id, name] of wrong) {
    const path = tree.pathOf(id)!
    const pathAs = (other: string) => joinPath(parentOf(path), other)
    return {id, path, to: pathAs(freeName(name, one => exists(pathAs(one))))}
  }
  return undefined
}
