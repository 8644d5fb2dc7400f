import type {RemoteEntry} from '#lib/transfer/tree/entries.js'
import {GONE, type LocalState, packNode, type TreeNode, unpackNode} from './tree-node.js'

/** The state of a remembered tree in memory, and its changes as lines of a log. */

/** The folder of the tree, and the page token up to which its remote side is known. */
export interface TreeHead {
  /** The ID of the remote folder; its local folder is the root of the tree. */
  readonly rootId: string
  /** The shared drive that contains it. */
  readonly driveId?: string
  /** The IDs of the remote folders above it: if one of them changes, paths must be resolved again. */
  readonly above: readonly string[]
  /** The remote paths that led to it, as `nameOfRoot` writes them. */
  readonly names: readonly string[]
  /** All remote changes before this page token are part of the tree. Missing until a round completed. */
  readonly token?: string
}

/** A line of the log. A later line wins over an earlier one. */
export type LogLine =
  | readonly ['head', TreeHead]
  /** Puts a node. */
  | readonly ['node', ...ReturnType<typeof packNode>]
  /** Removes a node with everything below it. */
  | readonly ['gone', string]
  /** Marks a remote folder as listed: all of its items are nodes. `settled`: nothing is left to transfer. */
  | readonly ['folder', string, 'listed' | 'settled' | 'unknown', string?]

/** The facts about a listed folder. */
interface FolderState {
  /**
   * The digest of the options under which nothing was left to transfer; `undefined` if something may be.
   */
  settled?: string
}

export interface TreeState {
  head: TreeHead | undefined
  readonly nodes: Map<string, TreeNode>
  readonly folders: Map<string, FolderState>
  /** The IDs of the nodes in each remote folder. */
  readonly children: Map<string, Set<string>>
  /** The IDs of the nodes by local folder and name. */
  readonly places: Map<string, string>
}

export function emptyState(): TreeState {
  return {
    head: undefined,
    nodes: new Map(),
    folders: new Map(),
    children: new Map(),
    places: new Map(),
  }
}

export function localPlaceKey({parent, name}: Pick<LocalState, 'parent' | 'name'>): string {
  return `${parent}/${name}`
}

/** Applies a line. Throws for an invalid one. */
export function applyLine(state: TreeState, line: LogLine): void {
  const [kind, ...values] = line
  if (kind === 'head') state.head = line[1]
  else if (kind === 'gone') removeNode(state, line[1])
  else if (kind === 'folder') {
    const [, id, is, digest] = line
    if (is === 'unknown') state.folders.delete(id)
    else state.folders.set(id, is === 'settled' ? {settled: digest ?? ''} : {})
  } else if (kind === 'node') putNode(state, unpackNode(values))
  else throw new TypeError('not a line of a remembered tree')
}

function putNode(state: TreeState, node: TreeNode): void {
  const {id} = node.remote
  unlink(state, id)
  state.nodes.set(id, node)
  const siblings = state.children.get(node.parent)
  if (siblings) siblings.add(id)
  else state.children.set(node.parent, new Set([id]))
  if (!node.local) return
  const key = localPlaceKey(node.local)
  const other = state.places.get(key)
  // A push and a pull of the same folder may each find an item for a local name; the later one is right.
  if (other !== undefined && other !== id) loseLocal(state, other)
  state.places.set(key, id)
}

/** Forgets where an item and everything in it is locally, so that it is transferred again. */
function loseLocal(state: TreeState, id: string): void {
  const {parent, remote, local} = state.nodes.get(id)!
  if (local && state.places.get(localPlaceKey(local)) === id) {
    state.places.delete(localPlaceKey(local))
  }
  state.nodes.set(id, {parent, remote})
  for (const folder of [parent, id]) if (state.folders.has(folder)) state.folders.set(folder, {})
  for (const inner of state.children.get(id) ?? []) {
    if (state.nodes.get(inner)?.local?.parent === id) loseLocal(state, inner)
  }
}

function unlink(state: TreeState, id: string): void {
  const node = state.nodes.get(id)
  if (!node) return
  state.nodes.delete(id)
  state.children.get(node.parent)?.delete(id)
  if (!node.local) return
  const key = localPlaceKey(node.local)
  if (state.places.get(key) === id) state.places.delete(key)
}

function removeNode(state: TreeState, id: string): void {
  for (const below of [...(state.children.get(id) ?? [])]) removeNode(state, below)
  unlink(state, id)
  state.folders.delete(id)
  state.children.delete(id)
}

/** The whole state as lines. */
export function* treeLines({head, nodes, folders}: TreeState): Generator<LogLine> {
  for (const node of nodes.values()) yield ['node', ...packNode(node)]
  for (const [id, {settled}] of folders) {
    yield settled === undefined ? ['folder', id, 'listed'] : ['folder', id, 'settled', settled]
  }
  if (head) yield ['head', head]
}

/** Reading a state. */
export interface TreeReader {
  readonly head: TreeHead | undefined
  /** The number of nodes. */
  readonly size: number
  node(id: string): TreeNode | undefined
  nodes(): Iterable<TreeNode>
  /** The node whose local file or folder has a name in the local folder of a remote folder. */
  at(folderId: string, name: string): TreeNode | undefined
  /** The nodes of a remote folder. */
  childrenOf(folderId: string): TreeNode[]
  /** The IDs of the listed remote folders. */
  folderIds(): Iterable<string>
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
  /** The ID of the remote folder for a local folder at a path; '' is the root. */
  folderAt(path: string): string | undefined
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
    at(parent, name) {
      const {places, nodes} = current()
      const id = places.get(localPlaceKey({parent, name}))
      return id === undefined ? undefined : nodes.get(id)
    },
    childrenOf(folderId) {
      const {children, nodes} = current()
      return [...(children.get(folderId) ?? [])].map(id => nodes.get(id)!)
    },
    folderIds: () => current().folders.keys(),
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
      const {places, head} = current()
      let at = head?.rootId
      if (path === '') return at
      for (const name of path.split('/')) {
        if (at === undefined) return undefined
        at = places.get(localPlaceKey({parent: at, name}))
      }
      return at
    },
  }
  return reader
}

/** Changing a state. All changes of one draft are written together. */
export interface TreeDraft extends TreeReader {
  setHead(head: TreeHead): void
  /** Puts a node; replaces the one with the same ID. */
  put(node: TreeNode): void
  /** Records that an item is in a remote folder. It keeps its local state, also if it comes from another folder. */
  arrive(parent: string, remote: RemoteEntry): void
  /** Removes a node with everything below it. */
  remove(id: string): void
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
      if (current().nodes.has(id)) write(['gone', id])
    },
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
    unlistAll() {
      for (const id of [...current().folders.keys()]) write(['folder', id, 'unknown'])
    },
    clear,
  }
  return Object.assign(Object.create(reader) as TreeReader, draft)
}
