import {isAside, type LocalState, type packNode, type TreeNode, unpackNode} from './tree-node.js'
import {createTreeNodes, type TreeNodes} from './tree-nodes.js'

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
  /** Removes a node with everything below it, or a creation. */
  | readonly ['gone', string]
  /** An item that is about to be created. */
  | readonly ['creating', string, Creation]
  /** Marks a remote folder as listed: all of its items are nodes. `settled`: nothing is left to transfer. */
  | readonly ['folder', string, 'listed' | 'settled' | 'unknown', string?]
  /** Folders with unknown local items, or those that a push has compared since. */
  | readonly ['forgotten' | 'compared', ...string[]]

/** An item that a push is about to create, or has created without knowing it because it was interrupted. */
export interface Creation {
  /** The ID of its remote folder, which is also its local one. */
  readonly parent: string
  /** The local name. */
  readonly name: string
  /** The remote name. */
  readonly title: string
  /** Size in bytes; missing for a folder, as is the next one. */
  readonly size?: number
  /** Modification time, in milliseconds since 1970. */
  readonly modified?: number
}

/** The facts about a listed folder. */
interface FolderState {
  /**
   * The digest of the options under which nothing was left to transfer; `undefined` if something may be.
   */
  settled?: string
}

export interface TreeState {
  head: TreeHead | undefined
  readonly nodes: TreeNodes
  /** The creations by ID; none of them is a node. */
  readonly creations: Map<string, Creation>
  readonly folders: Map<string, FolderState>
  /** The IDs of the nodes whose local place differs from their remote one, or that lost it. */
  readonly elsewhere: Set<string>
  /** The IDs of the shortcuts, by the IDs of their targets. */
  readonly shortcuts: Map<string, Set<string>>
  /**
   * The IDs of the folders that contain local items which belonged to a node. No report of the system tells a push that
   * they are unknown now.
   */
  readonly forgotten: Set<string>
}

export function emptyState(): TreeState {
  return {
    head: undefined,
    nodes: createTreeNodes(),
    creations: new Map(),
    folders: new Map(),
    elsewhere: new Set(),
    shortcuts: new Map(),
    forgotten: new Set(),
  }
}

/**
 * Applies a line; `at` is its position if it is in the log already. Returns the node that it puts. Throws for an invalid
 * line.
 */
export function applyLine(state: TreeState, line: LogLine, at?: number): TreeNode | undefined {
  const [kind, ...values] = line
  if (kind === 'head') state.head = line[1]
  else if (kind === 'gone') removeNode(state, line[1])
  else if (kind === 'creating') {
    if (!state.nodes.has(line[1])) state.creations.set(line[1], line[2])
  } else if (kind === 'forgotten') for (const id of line.slice(1)) state.forgotten.add(id)
  else if (kind === 'compared') for (const id of line.slice(1)) state.forgotten.delete(id)
  else if (kind === 'folder') {
    const [, id, is, digest] = line
    if (is === 'unknown') state.folders.delete(id)
    else state.folders.set(id, is === 'settled' ? {settled: digest ?? ''} : {})
  } else if (kind === 'node') {
    const node = unpackNode(values)
    putNode(state, node, at)
    return node
  } else throw new TypeError('not a line of a remembered tree')
  return undefined
}

function putNode(state: TreeState, node: TreeNode, at: number | undefined): void {
  const {remote, parent, local} = node
  const {id} = remote
  const before = state.nodes.get(id)
  if (!before || placesOf(before) !== placesOf(node)) unsettleAround(state, before, node)
  if (before) {
    forgetPlace(state, before.local, local)
    unmark(state, before)
  }
  const target = targetOf(node)
  if (target !== undefined) addShortcut(state, target, id)
  if (local && (local.parent !== parent || local.isMoved || isAside(node))) state.elsewhere.add(id)
  state.creations.delete(id)
  const other = local && state.nodes.at(local)
  state.nodes.set(node, at)
  // A push and a pull of the same folder may each find an item for a local name; the later one is right.
  if (other && other.remote.id !== id) loseLocal(state, other)
}

function addShortcut({shortcuts}: TreeState, target: string, id: string): void {
  const known = shortcuts.get(target)
  if (known) known.add(id)
  else shortcuts.set(target, new Set([id]))
}

function targetOf({remote}: TreeNode): string | undefined {
  return remote.kind === 'other' ? remote.target : undefined
}

/** Forgets where an item and everything in it is locally, so that it is transferred again. */
function loseLocal(state: TreeState, {parent, remote, local}: TreeNode): void {
  const {id} = remote
  forgetPlace(state, local)
  state.elsewhere.delete(id)
  state.nodes.set({parent, remote})
  unsettle(state, parent)
  unsettle(state, id)
  for (const inner of state.nodes.childrenOf(id)) {
    if (inner.local?.parent === id) loseLocal(state, inner)
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
  if (!before || (now?.parent === before.parent && now.name === before.name)) return
  forgotten.add(before.parent)
}

/** Removes a node from the sets of moved items and shortcuts. */
function unmark(state: TreeState, node: TreeNode): void {
  const {id} = node.remote
  state.elsewhere.delete(id)
  const target = targetOf(node)
  if (target !== undefined) state.shortcuts.get(target)?.delete(id)
}

function removeNode(state: TreeState, id: string): void {
  for (const inner of state.nodes.childIdsOf(id)) removeNode(state, inner)
  const node = state.nodes.get(id)
  unsettleAround(state, node)
  forgetPlace(state, node?.local)
  if (node) unmark(state, node)
  state.nodes.delete(id)
  state.creations.delete(id)
  state.folders.delete(id)
  state.forgotten.delete(id)
}

/** The lines of the whole state, except those of its nodes. */
export function* otherLines(state: TreeState): Generator<LogLine> {
  const {head, folders, forgotten, creations} = state
  for (const [id, creation] of creations) yield ['creating', id, creation]
  for (const [id, {settled}] of folders) {
    yield settled === undefined ? ['folder', id, 'listed'] : ['folder', id, 'settled', settled]
  }
  if (forgotten.size > 0) yield ['forgotten', ...forgotten]
  if (head) yield ['head', head]
}
