import {renamedFinder} from './find-renamed.js'
import type {RememberedTree} from './remembered-tree.js'
import {isAside, isKnownVersion, isToMove, type TreeNode} from './tree-node.js'
import {forgetLocal} from './tree-pairs.js'
import type {TreeDraft, TreeReader} from './tree-state.js'

/** What a pull does with items whose removals or moves are still to be pushed, and that have lost their local places. */

/** Forgets that such items are not here, so that they are downloaded again. */
export function forgetRemovals(draft: TreeDraft): void {
  for (const node of draft.elsewhere()) if (isAside(node)) forgetLocal(draft, node.remote.id)
}

interface RemovalOptions {
  /** Whether it is not the first round of a command, which downloads all that was removed here. */
  readonly isLater: boolean
  /** Whether the options leave an item out. */
  readonly isLeftOut: (node: TreeNode) => Promise<boolean>
  /** The absolute path for one in the tree. */
  readonly local: (path: string) => string
}

/** Forgets those that have changed remotely, unless they are here under other names. */
export async function forgetChangedRemovals(
  tree: RememberedTree,
  {isLater, isLeftOut, local}: RemovalOptions,
): Promise<void> {
  const findRenamed = renamedFinder(tree, local)
  for (const node of tree.elsewhere()) {
    if (!isAside(node) || isToMove(node)) continue
    if (isLater && (await isAsPulled(node))) continue
    if (!findRenamed(node)) await tree.update(draft => forgetLocal(draft, node.remote.id))
  }

  async function isAsPulled(node: TreeNode): Promise<boolean> {
    const {parent, remote, local: place} = node
    if (remote.kind === 'other') return true
    if (!place) return isLeftOut(node)
    if (place.parent !== parent) return false
    if (remote.kind === 'file') return isKnownVersion(place.file, remote)
    for (const inner of tree.childrenOf(remote.id)) if (!(await isAsPulled(inner))) return false
    return true
  }
}

/** The items that have moved or were renamed remotely. Those that moved into such a folder wait for its move. */
export function nodesToMove(tree: TreeReader): TreeNode[] {
  const isInside = (id: string): boolean => {
    const node = tree.node(id)
    return node !== undefined && (isAside(node) || isInside(node.parent))
  }
  return tree.elsewhere().filter(node => isToMove(node) && !isInside(node.parent))
}
