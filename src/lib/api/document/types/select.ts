import {referenceIn} from '#lib/api/document/clean.js'
import type {Method, Resource, Schema, SchemaMap} from '#lib/api/types.js'

/** A method with its place in the document: `files.list` is `list` in `['files']`. */
export interface PlacedMethod {
  readonly place: readonly string[]
  readonly name: string
  readonly method: Method
}

/** All methods, in the order of the document; those without a resource first. */
export function placedMethods(
  {methods = {}, resources = {}}: Pick<Partial<Resource>, 'methods' | 'resources'>,
  place: readonly string[] = [],
): PlacedMethod[] {
  return [
    ...Object.entries(methods).map(([name, method]) => ({place, name, method})),
    ...Object.entries(resources).flatMap(([name, inner]) => placedMethods(inner, [...place, name])),
  ]
}

/** How a person calls a method: `files.generateIds`. */
export function shortId({place, name}: PlacedMethod): string {
  return [...place, name].join('.')
}

/** The names of the schemas that these methods take or answer with, and of those within them. */
export function reachedSchemas(
  schemas: SchemaMap,
  methods: readonly PlacedMethod[],
): ReadonlySet<string> {
  const named = methods.flatMap(({method}) =>
    [method.request, method.response].map(value => referenceIn(value) ?? ''),
  )
  const isThere = (name: string) => Object.hasOwn(schemas, name)
  const reached = new Set(named.filter(isThere))
  // A set goes on to what is added on the way.
  for (const name of reached) {
    for (const inner of referencesIn(schemas[name]!).filter(isThere)) reached.add(inner)
  }
  return reached
}

function referencesIn({$ref, items, additionalProperties, properties = {}}: Schema): string[] {
  const inner = [items, additionalProperties, ...Object.values(properties)]
  return [
    ...($ref === undefined ? [] : [$ref]),
    ...inner.flatMap(schema => (schema ? referencesIn(schema) : [])),
  ]
}
