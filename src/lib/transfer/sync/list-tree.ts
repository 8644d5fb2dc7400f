import {DEPTH_LIMIT} from '#lib/api/wire.js'
import type {Client} from '#lib/client/client.js'
import {inGroups} from '#lib/platform/values.js'
import {listEach, tooDeep} from '#lib/transfer/remote/listing.js'
import type {RemoteEntry, RemoteFolder} from '#lib/transfer/tree/entries.js'
import type {RememberedTree} from './remembered-tree.js'
import type {TreeHead} from './tree-lines.js'
import {GONE} from './tree-node.js'
import type {TreeDraft, TreeReader} from './tree-state.js'

/** Number of folders listed together. */
const FOLDERS = 400

/**
 * Lists a whole remote tree into a remembered one, which keeps what it knows of local files. The page token is set at
 * the end. Throws the errors of the client and of `update`.
 */
export async function listTree(
  client: Client,
  tree: RememberedTree,
  head: TreeHead,
  signal: AbortSignal,
): Promise<void> {
  const {rootId, driveId} = head
  const drive = driveId === undefined ? {} : {driveId}
  await tree.update(draft => {
    if (draft.head?.rootId !== rootId) draft.clear()
    const {token: _, ...others} = head
    draft.unlistAll()
    draft.setHead(others)
  })
  const seen = new Set([rootId])
  let level: RemoteFolder[] = [{kind: 'folder', id: rootId, title: '', ...drive}]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEPTH_LIMIT) throw tooDeep()
    const next: RemoteFolder[] = []
    for (const some of inGroups(level, FOLDERS)) {
      const found = await listEach(client, some, signal)
      await tree.update(draft => {
        for (const [id, entries] of found) draft.list(id, entries.map(withoutDrive))
      })
      for (const entry of [...found.values()].flat()) {
        if (entry.kind !== 'folder' || seen.has(entry.id)) continue
        seen.add(entry.id)
        next.push({...entry, ...drive})
      }
    }
    level = next
  }
  await tree.update(draft => finishListing(draft, head))
  await tree.compact()
}

/** Forgets items in folders that were not listed, because they are excluded or no longer exist; sets the token. */
export function finishListing(draft: TreeDraft, head: TreeHead): void {
  for (const parent of draft.parentIds()) {
    if (draft.isListed(parent) || hasLeft(draft, parent)) continue
    for (const {remote} of draft.childrenOf(parent)) draft.remove(remote.id)
  }
  draft.setHead(head)
}

/** Whether a folder, or one that contains it, left the remote tree. */
function hasLeft(tree: TreeReader, id: string): boolean {
  if (id === GONE) return true
  const node = tree.node(id)
  return node !== undefined && hasLeft(tree, node.parent)
}

/** The drive belongs to the tree. */
export function withoutDrive(entry: RemoteEntry): RemoteEntry {
  if (entry.kind !== 'folder') return entry
  const {driveId: _, ...folder}: RemoteFolder = entry
  return folder
}
