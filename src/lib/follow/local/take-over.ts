import {withoutDrive} from '#lib/transfer/sync/list-tree.js'
import type {RememberedTree} from '#lib/transfer/sync/remembered-tree.js'
import type {Creation} from '#lib/transfer/sync/tree-lines.js'
import {localContentOf, type TreeNode, versionOf} from '#lib/transfer/sync/tree-node.js'
import type {TreeReader} from '#lib/transfer/sync/tree-state.js'
import {isSameTime} from '#lib/transfer/tree/entries.js'
import type {RemoteFacts} from './decide-push.js'

/**
 * Remembers what an interrupted push has created, as it would have done itself: later local changes then concern these
 * items. `read` reads the remote state of items, as `remoteFacts`. Returns the IDs of the items that are known now.
 */
export async function takeOver(
  tree: RememberedTree,
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, RemoteFacts>>,
): Promise<string[]> {
  const creations = tree.creations()
  if (creations.size === 0) return []
  const depthOf = (id: string): number => {
    const creation = creations.get(id)
    return creation ? depthOf(creation.parent) + 1 : 0
  }
  // Folders come first, so that they are known when their items are put.
  const ids = [...creations.keys()].sort((one, other) => depthOf(one) - depthOf(other))
  const facts = await read(ids)
  return tree.update(draft => {
    const known: string[] = []
    for (const id of ids) {
      const [creation, found] = [draft.creations().get(id), facts.get(id)]
      const node = creation && found && createdNode(draft, creation, found)
      if (node) {
        draft.put(node)
        known.push(id)
      } else if (creation) draft.remove(id)
    }
    return known
  })
}

/** The node of an item, if it is still as the push has created it. */
function createdNode(
  tree: TreeReader,
  {parent, name, title, size, modified}: Creation,
  {entry, parents}: RemoteFacts,
): TreeNode | undefined {
  if (tree.pathOf(parent) === undefined || tree.at(parent, name)) return undefined
  if (!parents.includes(parent) || entry.title !== title) return undefined
  const place = {parent, name}
  if (entry.kind === 'folder' && size === undefined) {
    return {parent, remote: withoutDrive(entry), local: place}
  }
  const isUnchanged =
    entry.kind === 'file' &&
    modified !== undefined &&
    entry.size === size &&
    isSameTime({modified}, entry)
  if (!isUnchanged) return undefined
  // The next comparison finds the inode.
  const file = localContentOf({size, modified, inode: 0}, entry.md5, versionOf(entry))
  return {parent, remote: entry, local: {...place, file}}
}
