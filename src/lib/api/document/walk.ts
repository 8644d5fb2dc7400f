import type {Method, Resource, RestDescription, Schema, SchemaMap} from '#lib/api/types.js'
import {isObject} from '#lib/platform/values.js'

/** The names that lead to a part of a document from its top: `['schemas', 'File']`. */
export type Place = readonly string[]

export interface PlacedMethod {
  readonly place: Place
  /** Its ID without the name of the API in front: `files.trash`. */
  readonly name: string
  readonly method: Method
}

export interface PlacedGroup {
  readonly place: Place
  /** The names of all groups on the way: `projects.locations`. */
  readonly name: string
  readonly resource: Resource
}

export interface PlacedSchema {
  readonly place: Place
  readonly schema: Schema
}

/** An ID as people say it, without the name of the API in front. */
export function shortId({name}: Pick<RestDescription, 'name'>, id: string): string {
  return name !== '' && id.startsWith(`${name}.`) ? id.slice(name.length + 1) : id
}

/** The names of groups and a method on the way to a place: `['files', 'list']`. */
export function namesOf(place: Place): readonly string[] {
  return place.filter((_, index) => index % 2 === 1)
}

/** All groups of methods, each before those within it; what is none is passed by. */
export function groupsIn({resources}: RestDescription): readonly PlacedGroup[] {
  return groupsBelow([], resources)
}

function groupsBelow(place: Place, resources: Resource['resources']): PlacedGroup[] {
  return entriesOf(resources).flatMap(([key, resource]) => {
    const at = [...place, 'resources', key]
    return [
      {place: at, name: namesOf(at).join('.'), resource},
      ...groupsBelow(at, resource?.resources),
    ]
  })
}

/** The methods of a group itself, or those that belong to no group. */
export function methodsOf(
  document: RestDescription,
  place: Place,
  group: Pick<Partial<Resource>, 'methods'>,
): readonly PlacedMethod[] {
  return entriesOf(group?.methods).map(([key, method]) => {
    const at = [...place, 'methods', key]
    const {id} = isObject(method) ? method : {}
    const name = typeof id === 'string' ? shortId(document, id) : namesOf(at).join('.')
    return {place: at, name, method}
  })
}

/** The members of a map; none of what is no map in a document of somebody else. */
function entriesOf<T>(map: Readonly<Record<string, T>> | undefined): Array<[string, T]> {
  return isObject(map) ? Object.entries<T>(map) : []
}

/** All methods: first those of no group, then group by group. */
export function methodsIn(document: RestDescription): readonly PlacedMethod[] {
  return [
    ...methodsOf(document, [], document),
    ...groupsIn(document).flatMap(({place, resource}) => methodsOf(document, place, resource)),
  ]
}

/** Schemas by their names; what is none in a document of somebody else is left out. */
export function schemasOf(map: unknown): ReadonlyArray<readonly [string, Schema]> {
  return isObject(map)
    ? Object.entries(map).flatMap(([name, value]) =>
        isObject(value) ? [[name, value as Schema] as const] : [],
      )
    : []
}

/**
 * The fields that a value has, or each member of a list or a map: through references, as far as they
 * lead anywhere. Each comes with its place, which is in another schema behind a reference.
 */
export function fieldsOf(
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

/** The schema that a reference names, where there is one of that name. */
export function referenced({schemas}: RestDescription, {$ref}: Schema): PlacedSchema | undefined {
  if (typeof $ref !== 'string' || !Object.hasOwn(schemas, $ref)) return undefined
  return {place: ['schemas', $ref], schema: schemas[$ref]!}
}

/** What a schema that has no fields itself leads to. */
function within(document: RestDescription, placed: PlacedSchema): PlacedSchema | undefined {
  return referenced(document, placed.schema) ?? memberOf(placed)
}

/** What each member of a list or a map is; `undefined` for what has none, or fields of its own. */
export function memberOf({place, schema}: PlacedSchema): PlacedSchema | undefined {
  const {properties, items, additionalProperties} = schema
  if (isObject(properties)) return undefined
  if (isObject(items)) return {place: [...place, 'items'], schema: items}
  if (isObject(additionalProperties)) {
    return {place: [...place, 'additionalProperties'], schema: additionalProperties}
  }
  return undefined
}

/** The schemas of some names that there are, and those within them. */
export function reachedSchemas(
  schemas: SchemaMap,
  names: ReadonlyArray<string | undefined>,
): ReadonlySet<string> {
  const isThere = (name: string | undefined) => name !== undefined && Object.hasOwn(schemas, name)
  const reached = new Set(names.filter(isThere) as string[])
  // A set goes on to what is added on the way.
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

/** What stands at a place of a document as it was given; `undefined` where nothing does. */
export function partAt(document: unknown, place: Place): unknown {
  let part = document
  for (const name of place) {
    part = isObject(part) && Object.hasOwn(part, name) ? part[name] : undefined
  }
  return part
}

/**
 * How many JSON values may lie in one another in a description. Real ones have some twenty; what goes
 * far beyond is made to break its readers, who all go down by calling themselves.
 */
export const MOST_LEVELS = 200

/** Whether some value lies below more than so many others. Goes no deeper than that itself. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (levels < 0) return true
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(inner => isDeeperThan(inner, levels - 1))
  // A list of its values would take as much memory again.
  for (const name in value) {
    if (isDeeperThan((value as Record<string, unknown>)[name], levels - 1)) return true
  }
  return false
}
