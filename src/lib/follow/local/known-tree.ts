import type {TreeNode} from '#lib/transfer/sync/tree-node.js'
import type {TreeReader} from '#lib/transfer/sync/tree-state.js'
import {joinPath} from '#lib/transfer/tree/steps.js'
import type {KnownItems} from './compare-local.js'
import type {KnownItem} from './local-item.js'

/** A remembered tree by local paths. Valid until the tree changes. */
export function knownItems(tree: TreeReader): KnownItems {
  /** Nodes whose local folder differs from their remote one, by the ID of the local one. */
  const elsewhere = new Map<string, TreeNode[]>()
  for (const node of tree.elsewhere()) {
    const {parent, local} = node
    if (!local || local.parent === parent) continue
    elsewhere.set(local.parent, [...(elsewhere.get(local.parent) ?? []), node])
  }

  function* childrenOf(id: string, path: string): Generator<KnownItem> {
    for (const node of [...tree.childrenOf(id), ...(elsewhere.get(id) ?? [])]) {
      if (node.local?.parent === id) yield itemOf(node, joinPath(path, node.local.name))
    }
  }

  function* below(id: string, path: string): Generator<KnownItem> {
    for (const item of childrenOf(id, path)) {
      yield item
      if (item.kind === 'folder') yield* below(item.id, item.path)
    }
  }

  return {
    get(path) {
      const node = path === '' ? undefined : tree.nodeAt(path)
      return node?.local && itemOf(node, path)
    },
    *children(folder) {
      const id = tree.folderAt(folder)
      if (id !== undefined) yield* childrenOf(id, folder)
    },
    *below(folder) {
      const id = tree.folderAt(folder)
      if (id !== undefined) yield* below(id, folder)
    },
  }
}

function itemOf({remote, local}: TreeNode, path: string): KnownItem {
  const {file, inode} = local!
  const at = {path, id: remote.id, isCopy: remote.kind === 'other'}
  if (!file) return {...at, kind: 'folder', ...(inode !== undefined && {inode})}
  const {size, modified, md5, version, sent} = file
  const facts = {size, mtime: modified, inode: file.inode, version}
  return {
    ...{...at, kind: 'file', ...facts},
    ...(md5 !== undefined && {md5}),
    ...(sent !== undefined && {sent}),
  }
}
