import {decodeName} from '#lib/transfer/local/encode-name.js'
import {
  assignNames,
  nameKey,
  type NameRules,
  plainName,
  titleKey,
} from '#lib/transfer/local/names.js'
import type {TreeNode} from './tree-node.js'
import type {TreeReader} from './tree-state.js'

/**
 * The local names by ID of items that should have other ones. Two machines that create items of the same name see
 * each other's item second, and an item keeps a number after the other one is gone. So that all machines end with the
 * same tree, names depend only on the items of the remote folder: the oldest item has the plain name. Pure.
 */
export function namesToCorrect(tree: TreeReader, rules: NameRules): Map<string, string> {
  const wrong = new Map<string, string>()
  for (const folderId of tree.folderIds()) {
    const nodes = tree.childrenOf(folderId).filter(({remote}) => remote.kind !== 'other')
    if (!mayDiffer(nodes, rules)) continue
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
  return titleKey(decodeName(name, isWindows) || name) === titleKey(title)
}
