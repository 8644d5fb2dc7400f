import type {IgnoreRules} from '#lib/transfer/local/rules.js'
import type {RemoteFolder} from '#lib/transfer/tree/entries.js'
import {shouldList} from '#lib/transfer/tree/exclusions.js'
import {GONE} from './tree-node.js'
import {wayTo} from './tree-pairs.js'
import type {TreeReader} from './tree-state.js'

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
