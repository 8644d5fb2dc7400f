import type {Method, Resource, RestDescription, Schema, SchemaMap} from '#lib/api/types.js'
import {isObject} from '#lib/platform/values.js'

/** The names that lead from the top of a document to a part: `['schemas', 'File']`. */
export type DocumentPath = readonly string[]

export interface PlacedMethod {
  readonly place: DocumentPath
  /** Its ID without the API's name: `files.trash`. */
  readonly name: string
  readonly method: Method
}

export interface PlacedGroup {
  readonly place: DocumentPath
  /** The names of the group and its parents: `projects.locations`. */
  readonly name: string
  readonly resource: Resource
}

export interface PlacedSchema {
  readonly place: DocumentPath
  readonly schema: Schema
}

/** An ID without the API's name. */
export function shortId({name}: Pick<RestDescription, 'name'>, id: string): string {
  return name !== '' && id.startsWith(`${name}.`) ? id.slice(name.length + 1) : id
}

/** The names of groups and method in a place: `['files', 'list']`. */
export function documentNames(place: DocumentPath): readonly string[] {
  return place.filter((_, index) => index % 2 === 1)
}

/** All groups of methods, each before its subgroups; invalid ones are skipped. */
export function groupsIn({resources}: RestDescription): readonly PlacedGroup[] {
  return groupsBelow([], resources)
}

function groupsBelow(place: DocumentPath, resources: Resource['resources']): PlacedGroup[] {
  return entriesOf(resources).flatMap(([key, resource]) => {
    const at = [...place, 'resources', key]
    return [
      {place: at, name: documentNames(at).join('.'), resource},
      ...groupsBelow(at, resource?.resources),
    ]
  })
}

/** The methods of one group, or those without a group. */
export function methodsOf(
  document: RestDescription,
  place: DocumentPath,
  group: Pick<Partial<Resource>, 'methods'>,
): readonly PlacedMethod[] {
  return entriesOf(group?.methods).map(([key, method]) => {
    const at = [...place, 'methods', key]
    const {id} = isObject(method) ? method : {}
    const name = typeof id === 'string' ? shortId(document, id) : documentNames(at).join('.')
    return {place: at, name, method}
  })
}

/** The entries of a map; empty for anything else. */
function entriesOf<T>(map: Readonly<Record<string, T>> | undefined): Array<[string, T]> {
  return isObject(map) ? Object.entries<T>(map) : []
}

/** All methods: first those without a group, then group by group. */
export function methodsIn(document: RestDescription): readonly PlacedMethod[] {
  return [
    ...methodsOf(document, [], document),
    ...groupsIn(document).flatMap(({place, resource}) => methodsOf(document, place, resource)),
  ]
}

/** Schemas by name; invalid ones are left out. */
export function schemasOf(map: unknown): ReadonlyArray<readonly [string, Schema]> {
  return isObject(map)
    ? Object.entries(map).flatMap(([name, value]) =>
        isObject(value) ? [[name, value as Schema] as const] : [],
      )
    : []
}

/**
 * The fields of a value, or of each member of a list or map, following references. Each has its place,
 * which is in another schema if a reference was followed.
 */
export function schemaFields(
  document: RestDescription,
  {place, schema}: PlacedSchema,
): ReadonlyMap<string, PlacedSchema> {
  let at = {place, schema}
  const passed = new Set<Schema>()
  while (!passed.has(at.schema)) {
    passed.add(at.schema)
    const next = within(document, at)
    if (!next) break
    at = next
  }
  return new Map(
    schemasOf(at.schema.properties).map(([name, field]) => [
      name,
      {place: [...at.place, 'properties', name], schema: field},
    ]),
  )
}

/** The schema that a reference names; `undefined` if it does not exist. */
export function referenced({schemas}: RestDescription, {$ref}: Schema): PlacedSchema | undefined {
  if (typeof $ref !== 'string' || !Object.hasOwn(schemas, $ref)) return undefined
  return {place: ['schemas', $ref], schema: schemas[$ref]!}
}

/** The schema that a schema without fields refers to or contains. */
function within(document: RestDescription, placed: PlacedSchema): PlacedSchema | undefined {
  return referenced(document, placed.schema) ?? memberOf(placed)
}

/** The schema of a list's or map's members; `undefined` for other schemas and those with fields. */
export function memberOf({place, schema}: PlacedSchema): PlacedSchema | undefined {
  const {properties, items, additionalProperties} = schema
  if (isObject(properties)) return undefined
  if (isObject(items)) return {place: [...place, 'items'], schema: items}
  if (isObject(additionalProperties)) {
    return {place: [...place, 'additionalProperties'], schema: additionalProperties}
  }
  return undefined
}

/** The named schemas that exist, and all schemas they use. */
export function reachedSchemas(
  schemas: SchemaMap,
  names: ReadonlyArray<string | undefined>,
): ReadonlySet<string> {
  const isThere = (name: string | undefined) => name !== undefined && Object.hasOwn(schemas, name)
  const reached = new Set(names.filter(isThere) as string[])
  // A loop over a set includes values added on the way.
  for (const name of reached) {
    for (const inner of referencesIn(schemas[name]!).filter(isThere)) reached.add(inner)
  }
  return reached
}

function referencesIn({$ref, items, additionalProperties, properties = {}}: Schema): string[] {
  const inner = [...Object.values(properties), items, additionalProperties]
  return [
    ...($ref === undefined ? [] : [$ref]),
    ...inner.flatMap(one => (one ? referencesIn(one) : [])),
  ]
}

/** The value at a place of the original document; `undefined` if missing. */
export function partAt(document: unknown, place: DocumentPath): unknown {
  let part = document
  for (const name of place) {
    part = isObject(part) && Object.hasOwn(part, name) ? part[name] : undefined
  }
  return part
}

/**
 * Maximum nesting of JSON values in a description. Real ones have about twenty levels; a malicious one
 * could overflow the stack of recursive readers.
 */
export const MOST_LEVELS = 200

/** Whether a value is nested deeper than `levels`. Does not recurse deeper than that itself. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (levels < 0) return true
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(inner => isDeeperThan(inner, levels - 1))
  // Object.values would take as much memory again.
  for (const name in value) {
    if (isDeeperThan((value as Record<string, unknown>)[name], levels - 1)) return true
  }
  return false
}
