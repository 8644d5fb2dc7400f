import {isObject} from '#lib/api/validate.js'
import type {Row} from './format.js'

/** What is below each name; nothing below means all. */
class Tree extends Map<string, Tree> {}

/** The named parts of a record, in the order of `paths`, where they are: `a.b` stays within `a`. */
export function picked(record: Row, paths: readonly string[]): Row {
  const tree = new Tree()
  for (const path of paths) {
    let at = tree
    // Whoever names a thing and a part of it wants the thing.
    const whole = paths.find(other => path.startsWith(`${other}.`)) ?? path
    for (const name of whole.split('.')) {
      const below = at.get(name) ?? new Tree()
      at.set(name, below)
      at = below
    }
  }
  return take(record, tree) as Row
}

function take(value: unknown, tree: Tree): unknown {
  if (tree.size === 0) return value
  if (Array.isArray(value)) return value.map(element => take(element, tree))
  if (!isObject(value)) return value
  const names = [...tree].filter(([name]) => Object.hasOwn(value, name))
  return Object.fromEntries(names.map(([name, below]) => [name, take(value[name], below)]))
}
