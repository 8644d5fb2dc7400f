import type {RemoteEntry} from '#lib/transfer/tree/entries.js'
import type {Creation, LogLine, TreeHead, TreeState} from './tree-lines.js'
import {GONE, type LocalState, packNode, type TreeNode} from './tree-node.js'

/** Reading and changing the state of a remembered tree. */

/** Reading a state. */
export interface TreeReader {
  readonly head: TreeHead | undefined
  /** The number of nodes. */
  readonly size: number
  node(id: string): TreeNode | undefined
  /** All nodes, as they are read. The tree must not be changed meanwhile. */
  nodes(): Iterable<TreeNode>
  /** The nodes whose local place differs from their remote one, that were moved or renamed remotely, or `isAside`. */
  elsewhere(): TreeNode[]
  /** The IDs of the shortcuts to an item. */
  shortcutsTo(id: string): Iterable<string>
  /** The node whose local file or folder has a name in the local folder of a remote folder. */
  at(folderId: string, name: string): TreeNode | undefined
  /** The nodes of a remote folder. */
  childrenOf(folderId: string): TreeNode[]
  /** The IDs of the listed remote folders. */
  folderIds(): Iterable<string>
  /** The IDs of the folders that contain nodes. */
  parentIds(): string[]
  /** Whether all items of a remote folder are known. */
  isListed(folderId: string): boolean
  /** The digest with which a folder was settled. */
  settledAs(folderId: string): string | undefined
  /**
   * The local path of a node relative to the root, with `/`, '' for the root; `undefined` if it does not exist
   * locally.
   */
  pathOf(id: string): string | undefined
  /** The node whose local file or folder is at a path relative to the root. */
  nodeAt(path: string): TreeNode | undefined
  /** The ID of the remote folder for a local folder at a path, '' for the root; `undefined` for a file. */
  folderAt(path: string): string | undefined
  /** The items that a push is about to create, or has created without knowing it, by ID. */
  creations(): ReadonlyMap<string, Creation>
  /** The IDs of the folders whose local items have to be compared, because some are not known any more. */
  forgottenIn(): string[]
}

export function readerOf(current: () => TreeState): TreeReader {
  const reader: TreeReader = {
    get head() {
      return current().head
    },
    get size() {
      return current().nodes.size
    },
    node: id => current().nodes.get(id),
    nodes: () => current().nodes.values(),
    elsewhere() {
      const {elsewhere, nodes} = current()
      return [...elsewhere].map(id => nodes.get(id)!)
    },
    shortcutsTo: id => current().shortcuts.get(id) ?? [],
    at: (parent, name) => current().nodes.at({parent, name}),
    childrenOf: folderId => current().nodes.childrenOf(folderId),
    folderIds: () => current().folders.keys(),
    parentIds: () => current().nodes.parentIds(),
    isListed: folderId => current().folders.has(folderId),
    settledAs: folderId => current().folders.get(folderId)?.settled,
    pathOf(id) {
      const {nodes, head} = current()
      const names: string[] = []
      for (let at = id, steps = 0; at !== head?.rootId; steps++) {
        const local = nodes.get(at)?.local
        if (!local || steps > nodes.size) return undefined
        names.unshift(local.name)
        at = local.parent
      }
      return names.join('/')
    },
    nodeAt(path) {
      const names = path.split('/')
      const parent = reader.folderAt(names.slice(0, -1).join('/'))
      return parent === undefined ? undefined : reader.at(parent, names.at(-1)!)
    },
    folderAt(path) {
      const {nodes, head} = current()
      let at = head?.rootId
      if (path === '') return at
      let node: TreeNode | undefined
      for (const name of path.split('/')) {
        if (at === undefined) return undefined
        node = nodes.at({parent: at, name})
        at = node?.remote.id
      }
      return node?.local?.file ? undefined : at
    },
    creations: () => current().creations,
    forgottenIn: () => [...current().forgotten],
  }
  return reader
}

/** The node of an entry, or of the shortcut that leads to it. */
export function nodeOf(
  {id, shortcut}: {readonly id: string; readonly shortcut?: {readonly id: string}},
  tree: TreeReader,
): TreeNode | undefined {
  return tree.node((shortcut ?? {id}).id)
}

/** Changing a state. All changes of one draft are written together. */
export interface TreeDraft extends TreeReader {
  setHead(head: TreeHead): void
  /** Puts a node; replaces the one with the same ID. */
  put(node: TreeNode): void
  /** Records that an item is in a remote folder. It keeps its local state, also if it comes from another folder. */
  arrive(parent: string, remote: RemoteEntry): void
  /** Removes a node with everything below it, or a creation. */
  remove(id: string): void
  /** Records that an item is about to be created. */
  create(id: string, creation: Creation): void
  /** Records that a node left the remote tree: as `GONE` while it still exists locally. */
  leave(id: string): void
  /**
   * Sets the items of a remote folder from a complete list. Nodes keep their local states, also those that come
   * from another folder; unlisted nodes leave the tree.
   */
  list(folderId: string, entries: readonly RemoteEntry[]): void
  /** Records that a folder has nothing left to transfer, or that it may have. */
  settle(folderId: string, digest: string | undefined): void
  /** Sets the local state of a node; nothing if the node does not exist. */
  setLocal(id: string, local: LocalState | undefined): void
  /** Records that the local items of folders were compared. */
  compared(folderIds: readonly string[]): void
  /** Records that no folder is known to be listed, before all are listed again. */
  unlistAll(): void
  /** Removes everything. */
  clear(): void
}

export function draftOf(
  current: () => TreeState,
  write: (line: LogLine) => void,
  clear: () => void,
): TreeDraft {
  const reader = readerOf(current)
  const draft: Omit<TreeDraft, keyof TreeReader> = {
    setHead: head => write(['head', head]),
    put: node => write(['node', ...packNode(node)]),
    remove(id) {
      const {nodes, creations} = current()
      if (nodes.has(id) || creations.has(id)) write(['gone', id])
    },
    create: (id, creation) => write(['creating', id, creation]),
    arrive(parent, remote) {
      const known = reader.node(remote.id)
      const isSameKind = known?.remote.kind === remote.kind
      const isMoved = known?.parent !== parent || known.remote.title !== remote.title
      const local = isSameKind ? known.local : undefined
      const kept = local && isMoved ? {...local, isMoved} : local
      const node = {parent, remote, ...(kept && {local: kept})}
      if (JSON.stringify(known) !== JSON.stringify(node)) draft.put(node)
    },
    leave(id) {
      const node = current().nodes.get(id)
      if (node?.local) draft.put({...node, parent: GONE})
      else draft.remove(id)
    },
    list(folderId, entries) {
      const ids = new Set(entries.map(({id}) => id))
      for (const {remote} of reader.childrenOf(folderId)) {
        if (!ids.has(remote.id)) draft.leave(remote.id)
      }
      for (const remote of entries) {
        draft.arrive(folderId, remote)
      }
      if (!reader.isListed(folderId)) write(['folder', folderId, 'listed'])
    },
    settle(folderId, digest) {
      if (!reader.isListed(folderId) || reader.settledAs(folderId) === digest) return
      write(
        digest === undefined
          ? ['folder', folderId, 'listed']
          : ['folder', folderId, 'settled', digest],
      )
    },
    setLocal(id, local) {
      const node = reader.node(id)
      if (!node) return
      const {parent, remote} = node
      draft.put({parent, remote, ...(local && {local})})
    },
    compared(ids) {
      if (ids.length > 0) write(['compared', ...ids])
    },
    unlistAll() {
      for (const id of [...current().folders.keys()]) write(['folder', id, 'unknown'])
    },
    clear,
  }
  return Object.assign(Object.create(reader) as TreeReader, draft)
}
