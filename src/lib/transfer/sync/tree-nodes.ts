import {type TreeNode, unpackNode} from './tree-node.js'

/**
 * The nodes of a tree, by ID. There may be millions, so that most are only known by the position of their line in the
 * log, and are read again when they are needed.
 */
export interface TreeNodes {
  readonly size: number
  has(id: string): boolean
  get(id: string): TreeNode | undefined
  /** All nodes, as they are read; those that are put meanwhile are among them. */
  values(): Iterable<TreeNode>
  /** Puts a node; `at` is the position of its line. Without it, the node stays in memory. */
  set(id: string, node: TreeNode, at?: number): void
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

export function createTreeNodes(): TreeNodes {
  /** The nodes, or the positions of their lines. */
  const all = new Map<string, TreeNode | number>()
  const recent = new Map<string, TreeNode>()
  let lineAt = (_: number): string => ''

  function know(id: string, node: TreeNode): void {
    if (recent.size >= RECENT) recent.clear()
    recent.set(id, node)
  }

  function resolved(id: string, value: TreeNode | number): TreeNode {
    if (typeof value !== 'number') return value
    const known = recent.get(id)
    if (known) return known
    const [, ...packed] = JSON.parse(lineAt(value)) as unknown[]
    const node = unpackNode(packed)
    know(id, node)
    return node
  }

  return {
    get size() {
      return all.size
    },
    has: id => all.has(id),
    get(id) {
      const value = all.get(id)
      return value === undefined ? undefined : resolved(id, value)
    },
    *values() {
      for (const [id, value] of all) yield resolved(id, value)
    },
    set(id, node, at) {
      all.set(id, at ?? node)
      recent.delete(id)
      if (at !== undefined) know(id, node)
    },
    delete(id) {
      all.delete(id)
      recent.delete(id)
    },
    *lines(lineOf) {
      for (const value of all.values()) {
        yield typeof value === 'number' ? lineAt(value) : lineOf(value)
      }
    },
    readFrom(read) {
      lineAt = read
    },
    wrote(node, at) {
      const {id} = node.remote
      if (all.get(id) !== node) return
      all.set(id, at)
      know(id, node)
    },
    rewrote(positions) {
      let index = 0
      for (const id of all.keys()) all.set(id, positions[index++]!)
    },
  }
}
