import {type LocalState, packNode, type TreeNode, unpackNode} from './tree-node.js'

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
  /** Folders with unknown local items, or those that a push has compared since. */
  | readonly ['forgotten' | 'compared', ...string[]]

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
  /**
   * The IDs of the folders that contain local items which belonged to a node. No report of the system tells a push that
   * they are unknown now.
   */
  readonly forgotten: Set<string>
}

export function emptyState(): TreeState {
  return {
    head: undefined,
    nodes: new Map(),
    folders: new Map(),
    children: new Map(),
    places: new Map(),
    forgotten: new Set(),
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
  else if (kind === 'forgotten') for (const id of line.slice(1)) state.forgotten.add(id)
  else if (kind === 'compared') for (const id of line.slice(1)) state.forgotten.delete(id)
  else if (kind === 'folder') {
    const [, id, is, digest] = line
    if (is === 'unknown') state.folders.delete(id)
    else state.folders.set(id, is === 'settled' ? {settled: digest ?? ''} : {})
  } else if (kind === 'node') putNode(state, unpackNode(values))
  else throw new TypeError('not a line of a remembered tree')
}

function putNode(state: TreeState, node: TreeNode): void {
  const {id} = node.remote
  const before = state.nodes.get(id)
  if (!before || placesOf(before) !== placesOf(node)) unsettleAround(state, before, node)
  if (before) {
    forgetPlace(state, before.local, node.local)
    unlink(state, id)
  }
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
  forgetPlace(state, local)
  state.nodes.set(id, {parent, remote})
  unsettle(state, parent)
  unsettle(state, id)
  for (const inner of state.children.get(id) ?? []) {
    if (state.nodes.get(inner)?.local?.parent === id) loseLocal(state, inner)
  }
}

/** Where an item is on both sides, and its names. */
function placesOf({parent, remote, local}: TreeNode): string {
  return JSON.stringify([parent, remote.title, local?.parent, local?.name, local?.isMoved])
}

/** Something may be left to do in the folders of an item: others may get its name. */
function unsettleAround(state: TreeState, ...nodes: ReadonlyArray<TreeNode | undefined>): void {
  for (const node of nodes) {
    if (!node) continue
    unsettle(state, node.parent)
    if (node.local) unsettle(state, node.local.parent)
  }
}

function unsettle({folders}: TreeState, id: string): void {
  if (folders.get(id)?.settled !== undefined) folders.set(id, {})
}

/** Notes that nothing belongs to a local place any more, unless it is still the same one. */
function forgetPlace({forgotten}: TreeState, before?: LocalState, now?: LocalState): void {
  if (!before || (now && localPlaceKey(now) === localPlaceKey(before))) return
  forgotten.add(before.parent)
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
  unsettleAround(state, state.nodes.get(id))
  forgetPlace(state, state.nodes.get(id)?.local)
  unlink(state, id)
  state.folders.delete(id)
  state.forgotten.delete(id)
  state.children.delete(id)
}

/** The whole state as lines. */
export function* treeLines({head, nodes, folders, forgotten}: TreeState): Generator<LogLine> {
  for (const node of nodes.values()) yield ['node', ...packNode(node)]
  for (const [id, {settled}] of folders) {
    yield settled === undefined ? ['folder', id, 'listed'] : ['folder', id, 'settled', settled]
  }
  if (forgotten.size > 0) yield ['forgotten', ...forgotten]
  if (head) yield ['head', head]
}
