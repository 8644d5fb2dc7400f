import {DocumentError} from '#lib/api/document/read.js'
import type {PlacedMethod} from '#lib/api/document/walk.js'
import type {Method} from '#lib/api/types.js'

/**
 * Values that a path parameter must not have, because literal paths take precedence over templates
 * (reference: description-format.md, section 5): with `files/{fileId}`, DELETE of `trash` empties the
 * trash.
 */
export type FindShadows = (method: Method) => Readonly<Record<string, readonly string[]>>

/** A tree of paths by segment, in which all templates are the same segment. */
interface PathTree {
  readonly below: Map<string, PathTree>
  /** The index of the first method whose path ends here. */
  first: number
}

const TEMPLATE = '{}'

/**
 * Limits for values found and segments visited, far above real documents. A small malicious document
 * could otherwise result in a module of gigabytes.
 */
const MOST = {values: 300_000, steps: 30_000_000}

/** A function that finds these values for a method. It throws `DocumentError` above the limits. */
export function shadowsAmong(methods: readonly PlacedMethod[]): FindShadows {
  // Only paths with the same number of segments can match.
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

/** The literal segments at position `at` of all paths that match elsewhere. */
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
  return new DocumentError('', 'has too many overlapping paths')
}
