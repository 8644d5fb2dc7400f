import type {Schema, SchemaMap} from '../../types.js'
import {isObject} from '../../validate.js'

const TYPES = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'any', 'null'] as const

/**
 * A schema of which every member is what it should be: a document may hold anything in their place,
 * and what is of no use is left out.
 */
export function cleanSchema(value: unknown): Schema {
  if (!isObject(value)) return {}
  const type = TYPES.find(known => known === value.type)
  const properties = value.properties === undefined ? undefined : cleanSchemas(value.properties)
  const {annotations} = value
  return {
    ...textsIn(value, [
      '$ref',
      'format',
      'default',
      'minimum',
      'maximum',
      'pattern',
      'description',
    ]),
    ...(type && {type}),
    ...(Array.isArray(value.enum) && {enum: textList(value.enum)}),
    ...(Array.isArray(value.enumDescriptions) && {
      enumDescriptions: value.enumDescriptions.map(textOf),
    }),
    required: value.required === true,
    repeated: value.repeated === true,
    deprecated: value.deprecated === true,
    readOnly: value.readOnly === true,
    ...(isObject(annotations) && {annotations: {required: textList(annotations.required)}}),
    ...(isObject(value.items) && {items: cleanSchema(value.items)}),
    ...(isObject(value.additionalProperties) && {
      additionalProperties: cleanSchema(value.additionalProperties),
    }),
    ...(properties && {properties}),
  }
}

export function cleanSchemas(value: unknown): SchemaMap {
  if (!isObject(value)) return {}
  return Object.fromEntries(
    Object.entries(value).map(([name, schema]) => [name, cleanSchema(schema)]),
  )
}

/** The text in a place where there should be one, else ''. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The name of the schema in `{$ref: NAME}`, if it is there. */
export function referenceIn(value: unknown): string | undefined {
  return isObject(value) && typeof value.$ref === 'string' ? value.$ref : undefined
}

function textList(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
}

function textsIn<const N extends string>(
  value: Readonly<Record<string, unknown>>,
  names: readonly N[],
): {readonly [K in N]?: string} {
  const found = names.filter(name => typeof value[name] === 'string')
  return Object.fromEntries(found.map(name => [name, value[name]])) as {[K in N]?: string}
}
