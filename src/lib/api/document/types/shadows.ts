import {DocumentError} from '#lib/api/document/read.js'
import type {PlacedMethod} from '#lib/api/document/walk.js'
import type {Method} from '#lib/api/types.js'

/**
 * Values that a parameter of the path must not have, as literal paths go before templates (reference:
 * description-format.md, section 5): with `files/{fileId}`, DELETE of `trash` empties the trash.
 */
export type FindShadows = (method: Method) => Readonly<Record<string, readonly string[]>>

/** Paths by their first segment, then by their second, and so on; all templates are one segment. */
interface PathTree {
  readonly below: Map<string, PathTree>
  /** The place of the first method with the path that ends here. */
  first: number
}

const TEMPLATE = '{}'

/**
 * Values that are found for all methods together, and segments that are looked at: far more than real
 * documents need. Paths can be such that each leads to half of the others, and a small document to a
 * module of gigabytes.
 */
const MOST = {values: 300_000, steps: 30_000_000}

/** Finds the values for any of some methods, in their order. What it gives throws `DocumentError` for too many. */
export function shadowsAmong(methods: readonly PlacedMethod[]): FindShadows {
  // Only paths with as many segments can be the same.
  const trees = new Map<number, PathTree>()
  for (const [index, {method}] of methods.entries()) {
    const segments = method.path.split('/')
    let at = childOf(trees, segments.length, index)
    for (const segment of segments) at = childOf(at.below, sameTemplate(segment), index)
  }
  const left = {...MOST}
  return ({path}) => {
    const segments = path.split('/')
    const tree = trees.get(segments.length)
    const found = segments.flatMap((segment, at): Array<[string, string[]]> => {
      const [, name] = /^\{([^{}+]+)\}$/.exec(segment) ?? []
      if (name === undefined || !tree) return []
      const values = literalsAt(tree, segments, at, left)
      return values.length > 0 ? [[name, values]] : []
    })
    return Object.fromEntries(found)
  }
}

function childOf<K>(children: Map<K, PathTree>, key: K, index: number): PathTree {
  const child = children.get(key) ?? {below: new Map<string, PathTree>(), first: index}
  children.set(key, child)
  return child
}

/** The literal segments at a place of all paths that can be the same elsewhere. */
function literalsAt(
  tree: PathTree,
  segments: readonly string[],
  at: number,
  left: Record<keyof typeof MOST, number>,
): string[] {
  const firsts = new Map<string, number>()
  const visit = (node: PathTree, depth: number, value = '') => {
    left.steps -= 1
    if (left.steps < 0 || left.values < 0) throw tooMany()
    if (depth === segments.length) {
      left.values -= 1
      firsts.set(value, Math.min(node.first, firsts.get(value) ?? Infinity))
      return
    }
    const segment = sameTemplate(segments[depth]!)
    if (depth === at) {
      for (const [literal, child] of node.below) {
        if (literal !== TEMPLATE) visit(child, depth + 1, literal)
      }
    } else if (segment === TEMPLATE) {
      for (const child of node.below.values()) visit(child, depth + 1, value)
    } else {
      for (const key of [segment, TEMPLATE]) {
        const child = node.below.get(key)
        if (child) visit(child, depth + 1, value)
      }
    }
  }
  visit(tree, 0)
  return [...firsts].sort(([, one], [, other]) => one - other).map(([value]) => value)
}

function sameTemplate(segment: string): string {
  return segment.includes('{') ? TEMPLATE : segment
}

function tooMany(): DocumentError {
  return new DocumentError('', 'has too many paths that lead to each other')
}
