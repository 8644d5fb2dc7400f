import {createKeyIndex} from '#lib/platform/key-index.js'
import {localPlaceKey, type LocalState, type TreeNode, unpackNode} from './tree-node.js'

/**
 * The nodes of a tree. There may be millions, so that each has a number, by which columns and indexes know it; most are
 * only known by the position of their line in the log, and are read again when they are needed.
 */
export interface TreeNodes {
  readonly size: number
  has(id: string): boolean
  get(id: string): TreeNode | undefined
  /** The node whose local file or folder is at a place. */
  at(place: Pick<LocalState, 'parent' | 'name'>): TreeNode | undefined
  /** The nodes of a remote folder. */
  childrenOf(folderId: string): TreeNode[]
  /** Their IDs, for folders with more nodes than should be in memory at once. */
  childIdsOf(folderId: string): string[]
  /** The IDs of the remote folders that contain nodes. */
  parentIds(): string[]
  /** All nodes, as they are read. They must not be changed meanwhile. */
  values(): Iterable<TreeNode>
  /** Puts a node; `at` is the position of its line. Without it, the node stays in memory. */
  set(node: TreeNode, at?: number): void
  delete(id: string): void
  /** The lines that describe the nodes, in the order of `values`; those in the log are not parsed for that. */
  lines(lineOf: (node: TreeNode) => string): Iterable<string>
  /** Reads nodes from another log. */
  readFrom(lineAt: (at: number) => string): void
  /** The line of a node was written, unless another one replaces it already. */
  wrote(node: TreeNode, at: number): void
  /** The lines of all nodes were written again, in the order of `lines`, to the first of these positions. */
  rewrote(positions: readonly number[]): void
}

/** Number of nodes to keep in memory that were read: about 10 MiB. */
const RECENT = 10_000

/** Instead of the position of a line: the node has none yet, or there is no node with this number. */
const UNWRITTEN = 0
const UNUSED = -1

export function createTreeNodes(): TreeNodes {
  const positions: number[] = []
  const unused: number[] = []
  const unwritten = new Map<number, TreeNode>()
  const recent = new Map<number, TreeNode>()
  const ids = createKeyIndex(number => nodeOf(number).remote.id)
  const places = createKeyIndex(number => placeOf(nodeOf(number)))
  const children = createChildren()
  let lineAt = (_: number): string => ''

  function know(number: number, node: TreeNode): void {
    if (recent.size >= RECENT) recent.clear()
    recent.set(number, node)
  }

  function nodeOf(number: number): TreeNode {
    const known = unwritten.get(number) ?? recent.get(number)
    if (known) return known
    const [, ...packed] = JSON.parse(lineAt(positions[number]!)) as unknown[]
    const node = unpackNode(packed)
    know(number, node)
    return node
  }

  function* numbers(): Generator<number> {
    for (const [number, at] of positions.entries()) if (at !== UNUSED) yield number
  }

  /** Forgets where a node is, unless it is still there. */
  function unplace(number: number, before: TreeNode, now?: TreeNode): void {
    const place = placeOf(before)
    if (place !== undefined && place !== (now && placeOf(now))) places.delete(place, number)
    if (before.parent !== now?.parent) children.remove(before.parent, number)
  }

  function store(number: number, node: TreeNode, at: number): void {
    positions[number] = at
    if (at === UNWRITTEN) {
      unwritten.set(number, node)
      recent.delete(number)
    } else {
      unwritten.delete(number)
      know(number, node)
    }
  }

  return {
    get size() {
      return positions.length - unused.length
    },
    has: id => ids.get(id) !== undefined,
    get(id) {
      const number = ids.get(id)
      return number === undefined ? undefined : nodeOf(number)
    },
    at(place) {
      const number = places.get(localPlaceKey(place))
      return number === undefined ? undefined : nodeOf(number)
    },
    childrenOf: id => children.of(id).map(nodeOf),
    childIdsOf: id => children.of(id).map(number => nodeOf(number).remote.id),
    parentIds: () => children.parents(),
    *values() {
      for (const number of numbers()) yield nodeOf(number)
    },
    set(node, at = UNWRITTEN) {
      const {parent, remote} = node
      const known = ids.get(remote.id)
      const before = known === undefined ? undefined : nodeOf(known)
      const number = known ?? unused.pop() ?? positions.length
      if (before) unplace(number, before, node)
      store(number, node, at)
      if (!before) ids.add(remote.id, number)
      if (before?.parent !== parent) children.add(parent, number)
      const place = placeOf(node)
      if (place !== undefined) places.add(place, number)
    },
    delete(id) {
      const number = ids.get(id)
      if (number === undefined) return
      unplace(number, nodeOf(number))
      ids.delete(id, number)
      unwritten.delete(number)
      recent.delete(number)
      positions[number] = UNUSED
      unused.push(number)
    },
    *lines(lineOf) {
      for (const number of numbers()) {
        const node = unwritten.get(number)
        yield node ? lineOf(node) : lineAt(positions[number]!)
      }
    },
    readFrom(read) {
      lineAt = read
    },
    wrote(node, at) {
      const number = ids.get(node.remote.id)
      if (number !== undefined && unwritten.get(number) === node) store(number, node, at)
    },
    rewrote(written) {
      let index = 0
      for (const number of numbers()) positions[number] = written[index++]!
      unwritten.clear()
    },
  }
}

function placeOf({local}: TreeNode): string | undefined {
  return local && localPlaceKey(local)
}

/** The numbers of the nodes in folders, as linked lists: sets would take several times the memory. */
function createChildren() {
  const folders = new Map<string, {first: number; last: number}>()
  const next: number[] = []
  const previous: number[] = []
  /** At the ends of a list. */
  const NONE = -1

  return {
    parents: () => [...folders.keys()],
    of(id: string): number[] {
      const found: number[] = []
      for (let number = folders.get(id)?.first ?? NONE; number !== NONE; number = next[number]!) {
        found.push(number)
      }
      return found
    },
    add(id: string, number: number): void {
      const folder = folders.get(id)
      next[number] = NONE
      previous[number] = folder?.last ?? NONE
      if (folder) {
        next[folder.last] = number
        folder.last = number
      } else folders.set(id, {first: number, last: number})
    },
    remove(id: string, number: number): void {
      const folder = folders.get(id)!
      const [before, after] = [previous[number]!, next[number]!]
      if (before === NONE && after === NONE) folders.delete(id)
      else {
        if (before === NONE) folder.first = after
        else next[before] = after
        if (after === NONE) folder.last = before
        else previous[after] = before
      }
    },
  }
}
