import {description} from '#lib/api/description/index.js'

/** Documents for tests that modify them. */

const {about, files} = description.resources as unknown as Record<string, {methods: Methods}>
type Methods = Record<string, {id: string; request?: Reference; response?: Reference}>
type Reference = {readonly $ref: string}

/** A self-contained part of the built-in description, because hundreds of tests process all of it. */
export const base: object = partOf({
  about: about!,
  files: {methods: some(files!.methods, 'get', 'insert', 'list', 'trash', 'watch')},
})

function some(methods: Methods, ...names: readonly string[]): Methods {
  return Object.fromEntries(names.map(name => [name, methods[name]!]))
}

/** Resources with the schemas they need, so that all references resolve. */
function partOf(resources: Record<string, {methods: Methods}>): object {
  const methods = Object.values(resources).flatMap(({methods}) => Object.values(methods))
  const ids = methods.map(({id}) => id)
  const reached = new Set(
    methods.flatMap(({request, response}) => [request, response].flatMap(one => one?.$ref ?? [])),
  )
  for (const id of reached) {
    const text = JSON.stringify(description.schemas[id])
    for (const [, inner = ''] of text.matchAll(/"\$ref":"(\w+)"/g)) reached.add(inner)
  }
  const schemas = Object.fromEntries([...reached].map(id => [id, description.schemas[id]]))
  const withoutOthers = (name: string, value: unknown) =>
    name === 'annotations'
      ? {required: (value as {required: string[]}).required.filter(id => ids.includes(id))}
      : value
  return JSON.parse(JSON.stringify({...description, resources, schemas}, withoutOthers)) as object
}

type Node = Record<string, unknown>

/** A value for a path; names in the path are separated by spaces, because names may contain dots. */
export type Change = readonly [path: string, value: unknown]

/** The partial description with `value` at each path; `undefined` removes what is there. */
export function changed(...changes: readonly Change[]): Node {
  const document = structuredClone(base) as Node
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

/** The paths of all nested values. */
export function pathsOf(value: unknown, above = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = above === '' ? name : `${above} ${name}`
    return [path, ...pathsOf(inner, path)]
  })
}
