import {DEPTH_LIMIT} from '#lib/api/wire.js'
import type {Client} from '#lib/client/client.js'
import {inGroups} from '#lib/platform/values.js'
import type {IgnoreRules} from '#lib/transfer/local/rules.js'
import {listEach, tooDeep} from '#lib/transfer/remote/listing.js'
import type {RemoteEntry, RemoteFolder} from '#lib/transfer/tree/entries.js'
import {shouldList} from '#lib/transfer/tree/exclusions.js'
import type {RememberedTree} from './remembered-tree.js'
import type {TreeHead} from './tree-lines.js'
import {GONE} from './tree-node.js'
import {wayTo} from './tree-pairs.js'
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

interface NewFolderOptions {
  /** The path of the tree below the folder that paths are relative to. */
  readonly prefix: string
  readonly rules: IgnoreRules
  /** Whether nothing has changed in a listed folder. */
  readonly isSettled: (folderId: string) => boolean
  /** Lists folders and records their items in the tree. */
  readonly list: (folders: readonly RemoteFolder[]) => Promise<unknown>
}

/**
 * Lists new folders that are not excluded, if something has left the folders of the tree: it may have moved into a new
 * one, and is then moved here too, instead of being removed and downloaded again.
 */
export async function listNewFolders(
  tree: TreeReader,
  {prefix, rules, isSettled, list}: NewFolderOptions,
): Promise<void> {
  if (tree.childrenOf(GONE).length === 0) return
  const {driveId} = tree.head!
  const drive = driveId === undefined ? {} : {driveId}
  const above = prefix === '' ? [] : [prefix]
  let outer = [...tree.folderIds()].filter(id => !isSettled(id))
  while (outer.length > 0) {
    const fresh: RemoteFolder[] = []
    for (const {remote} of outer.flatMap(id => tree.childrenOf(id))) {
      if (remote.kind !== 'folder' || remote.shortcut || tree.isListed(remote.id)) continue
      const titles = wayTo(tree, remote.id)?.titles
      if (titles && (await shouldList(rules, titles, above))) fresh.push({...remote, ...drive})
    }
    if (fresh.length > 0) await list(fresh)
    outer = fresh.map(({id}) => id)
  }
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
