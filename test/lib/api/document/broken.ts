import {description} from '../../../../src/lib/api/description/index.js'

/** Documents for tests that change them. */

type Node = Record<string, unknown>

/** What is to stand at a path: the names that lead there, with blanks between, as names may have dots. */
export type Change = readonly [path: string, value: unknown]

/** The built-in description, in which `value` stands where a path leads; `undefined` takes that away. */
export function changed(...changes: readonly Change[]): Node {
  const document = JSON.parse(JSON.stringify(description)) as Node
  for (const [path, value] of changes) {
    const names = path.split(' ')
    const last = names.pop()!
    let node = document
    for (const name of names) node = (node[name] ??= {}) as Node
    if (value === undefined) delete node[last]
    else node[last] = value
  }
  return document
}

/** The paths of all that lies in a value. */
export function pathsOf(value: unknown, above = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = above === '' ? name : `${above} ${name}`
    return [path, ...pathsOf(inner, path)]
  })
}
