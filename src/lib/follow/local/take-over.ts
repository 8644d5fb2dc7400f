import {basename, join} from 'node:path'
import {withoutDrive} from '#lib/transfer/sync/list-tree.js'
import type {RememberedTree} from '#lib/transfer/sync/remembered-tree.js'
import {type TreeNode, versionOf} from '#lib/transfer/sync/tree-node.js'
import type {TreeReader} from '#lib/transfer/sync/tree-state.js'
import {isSameTime} from '#lib/transfer/tree/entries.js'
import type {UnfinishedId} from '#lib/transfer/tree/id-notes.js'
import type {RemoteFacts} from './decide-push.js'

interface Interrupted {
  /** The local folder that the push followed. */
  readonly root: string
  readonly unfinished: readonly UnfinishedId[]
  /** Reads the remote state of items, as `remoteFacts`. */
  readonly read: (ids: readonly string[]) => Promise<ReadonlyMap<string, RemoteFacts>>
}

/**
 * Remembers what an interrupted push has created, as it would have done itself: later local changes then concern these
 * items. Returns the IDs of those that are known now.
 */
export async function takeOver(
  tree: RememberedTree,
  {root, unfinished, read}: Interrupted,
): Promise<string[]> {
  const open = unfinished.filter(({id}) => !tree.node(id))
  if (open.length === 0) return []
  const facts = await read(open.map(({id}) => id))
  if (facts.size === 0) return []
  return tree.update(draft => {
    const known: string[] = []
    for (const one of open) {
      const found = facts.get(one.id)
      const node = found && createdNode(draft, root, one, found)
      if (!node) continue
      draft.put(node)
      if (node.remote.kind === 'folder') draft.list(one.id, [])
      known.push(one.id)
    }
    return known
  })
}

/** The node of an item, if it is still as the push has created it. */
function createdNode(
  tree: TreeReader,
  root: string,
  {id, parentId, local: {path, size, modified}}: UnfinishedId,
  {entry, parents}: RemoteFacts,
): TreeNode | undefined {
  const folder = tree.pathOf(parentId)
  const name = basename(path)
  const isHere = folder !== undefined && path === join(root, folder, name)
  if (!isHere || !parents.includes(parentId) || entry.title !== name) return undefined
  if (tree.node(id) || tree.at(parentId, name)) return undefined
  const place = {parent: parentId, name}
  if (entry.kind === 'folder' && size === undefined) {
    return {parent: parentId, remote: withoutDrive(entry), local: place}
  }
  const isUnchanged =
    entry.kind === 'file' &&
    modified !== undefined &&
    entry.size === size &&
    isSameTime({modified}, entry)
  if (!isUnchanged) return undefined
  const {md5} = entry
  // The next comparison finds the inode.
  const file = {
    size,
    modified,
    inode: 0,
    version: versionOf(entry),
    ...(md5 !== undefined && {md5}),
  }
  return {parent: parentId, remote: entry, local: {...place, file}}
}
