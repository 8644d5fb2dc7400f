import type {Schema, SchemaMap} from '#lib/api/types.js'

/**
 * Short ways to write parameters and the fields of records. Each takes its words first, then the
 * facts that stand beside its type.
 */
type Facts = Pick<
  Schema,
  | 'annotations'
  | 'default'
  | 'deprecated'
  | 'enum'
  | 'enumDescriptions'
  | 'maximum'
  | 'minimum'
  | 'required'
>

export function text<const F extends Facts = object>(description: string, facts?: F) {
  return {type: 'string', description, ...(facts as F)} as const satisfies Schema
}

export function flag<const F extends Facts = object>(description: string, facts?: F) {
  return {type: 'boolean', description, ...(facts as F)} as const satisfies Schema
}

export function int32<const F extends Facts = object>(description: string, facts?: F) {
  return {type: 'integer', format: 'int32', description, ...(facts as F)} as const satisfies Schema
}

/** Goes as text, because a JSON number is exact only up to 2^53. */
export function int64<const F extends Facts = object>(description: string, facts?: F) {
  return {type: 'string', format: 'int64', description, ...(facts as F)} as const satisfies Schema
}

export function number(format: 'float' | 'double', description: string) {
  return {type: 'number', format, description} as const satisfies Schema
}

export function dateTime(description: string) {
  return {type: 'string', format: 'date-time', description} as const satisfies Schema
}

/** The fixed text that names the kind of a record. */
export function kind(value: string) {
  return {...text(`Always ${value}.`, {default: value}), readOnly: true} as const satisfies Schema
}

/** A text that another field has replaced. */
export function oldText(successor: string) {
  return text(`Old name of ${successor}.`, {deprecated: true})
}

/** A flag that another field has replaced. */
export function oldFlag(successor: string) {
  return flag(`Old name of ${successor}.`, {deprecated: true})
}

/** The record of that name, with what it means in this place. */
export function reference<const Name extends string>($ref: Name, description: string) {
  return {$ref, description} as const satisfies Schema
}

export function list<const Items extends Schema>(
  description: string,
  items: Items,
  facts: Facts = {},
) {
  return {type: 'array', description, items, ...facts} as const satisfies Schema
}

export function texts(description: string, facts: Facts = {}) {
  return list(description, {type: 'string'}, facts)
}

/** An object with keys of any name and text values. */
export function textMap(description: string) {
  return {
    type: 'object',
    description,
    additionalProperties: {type: 'string'},
  } as const satisfies Schema
}

export function object<const Properties extends SchemaMap>(
  description: string,
  properties: Properties,
  facts: Facts = {},
) {
  return {type: 'object', description, properties, ...facts} as const satisfies Schema
}

/** Marks fields that the service alone sets. */
export function output<const Fields extends SchemaMap>(fields: Fields) {
  return mapFields(fields, {readOnly: true} as const)
}

/** Marks parameters that go into the query. */
export function query<const Fields extends SchemaMap>(fields: Fields) {
  return mapFields(fields, {location: 'query'} as const)
}

function mapFields<Fields extends SchemaMap, Fact extends Schema>(fields: Fields, fact: Fact) {
  const marked = Object.entries(fields).map(([name, schema]) => [name, {...schema, ...fact}])
  return Object.fromEntries(marked) as {readonly [Name in keyof Fields]: Fields[Name] & Fact}
}

/** A list of records that the service alone makes, and that stand nowhere else. */
export function records(description: string, properties: SchemaMap, facts?: Facts) {
  return list(description, {type: 'object', properties: output(properties)}, facts)
}

export const etag = text('Version tag, with its quotes, for If-Match and If-None-Match.')
export const selfLink = text('Address of this record.')
export const nextLink = text('Address of the next page; absent on the last one.')
export const nextPageToken = text('Token of the next page; absent on the last one.')

/** The answer of a list operation: its kind, the entries, and what else this list carries. */
export function listPage<const Item extends string, const More extends SchemaMap>(
  kindOfList: string,
  item: Item,
  description: string,
  more: More,
) {
  return object(description, {
    kind: kind(kindOfList),
    ...output({items: list('The entries of this page.', {$ref: item}), ...more}),
  })
}
