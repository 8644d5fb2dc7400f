import type {
  MediaUpload,
  Method,
  Resource,
  RestDescription,
  Schema,
  SchemaMap,
} from '#lib/api/types.js'
import {isObject, ownProperty} from '#lib/platform/values.js'
import {LONGEST_NUMBER} from './formats.js'

/**
 * A description with which requests can be built: values of the wrong type are left out, and every name
 * in a path is a required parameter (reference: description-format.md, sections 2 and 4). `drv api
 * validate` reports such problems.
 */
export function cleaned(document: RestDescription): RestDescription {
  return {
    ...document,
    parameters: cleanSchemas(document.parameters),
    schemas: cleanSchemas(document.schemas),
    methods: mapped(document.methods, method),
    resources: mapped(document.resources, resource),
  }
}

function resource(given: Resource): Resource {
  return {methods: mapped(given.methods, method), resources: mapped(given.resources, resource)}
}

function method(given: Method): Method {
  const {request, response, mediaUpload, ...rest} = given
  const inPath = [...given.path.matchAll(/\{\+?([^{}]+)\}/g)].map(([, name = '']) => name)
  const known = cleanSchemas(given.parameters)
  const parameters = {
    ...known,
    ...Object.fromEntries(
      inPath.map(name => [
        name,
        {type: 'string', ...ownProperty(known, name), location: 'path', required: true} as const,
      ]),
    ),
  }
  const order = [...inPath, ...(given.parameterOrder ?? []), ...Object.keys(parameters)]
  const required = order.filter(name => ownProperty(parameters, name)?.required)
  return {
    ...rest,
    parameters,
    parameterOrder: [...new Set(required)],
    ...reference('request', request),
    ...reference('response', response),
    ...upload(mediaUpload),
  }
}

function reference<N extends string>(
  name: N,
  given: unknown,
): {[K in N]?: {readonly $ref: string}} {
  const $ref = referenceIn(given)
  return ($ref === undefined ? {} : {[name]: {$ref}}) as {[K in N]?: {readonly $ref: string}}
}

function upload(given: unknown): {mediaUpload?: MediaUpload} {
  if (!isObject(given)) return {}
  const {accept, maxSize, protocols} = given
  const paths = Object.entries(isObject(protocols) ? protocols : {}).flatMap(([name, protocol]) => {
    const {path, multipart} = isObject(protocol) ? protocol : {}
    return typeof path === 'string' ? [[name, {path, multipart: multipart === true}] as const] : []
  })
  return {
    mediaUpload: {
      accept: textList(accept),
      ...(typeof maxSize === 'string' && {maxSize}),
      protocols: Object.fromEntries(paths),
    },
  }
}

function mapped<T>(
  given: Readonly<Record<string, T>> | undefined,
  make: (one: T) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(given ?? {}).map(([name, one]) => [name, make(one)]))
}

/** A whole number of reasonable length. */
const BOUND = new RegExp(`^-?\\d{1,${LONGEST_NUMBER}}$`)

const TYPES = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'any', 'null'] as const

/** A schema without members of the wrong type. */
export function cleanSchema(value: unknown): Schema {
  if (!isObject(value)) return {}
  const type = TYPES.find(known => known === value.type)
  const properties = value.properties === undefined ? undefined : cleanSchemas(value.properties)
  const {annotations, location} = value
  return {
    ...textsIn(value, ['id', '$ref', 'format', 'default', 'pattern', 'description']),
    ...textsIn(value, ['minimum', 'maximum'], BOUND),
    ...((location === 'path' || location === 'query') && {location}),
    ...(type && {type}),
    ...(Array.isArray(value.enum) && {enum: textList(value.enum)}),
    ...(Array.isArray(value.enumDescriptions) && {
      enumDescriptions: value.enumDescriptions.map(textOrEmpty),
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

/** A text; '' for anything else. */
export function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The schema's name in `{$ref: NAME}`; else `undefined`. */
export function referenceIn(value: unknown): string | undefined {
  return isObject(value) && typeof value.$ref === 'string' ? value.$ref : undefined
}

function textList(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
}

function textsIn<const N extends string>(
  value: Readonly<Record<string, unknown>>,
  names: readonly N[],
  form = /^/,
): {readonly [K in N]?: string} {
  const found = names.filter(name => typeof value[name] === 'string' && form.test(value[name]))
  return Object.fromEntries(found.map(name => [name, value[name]])) as {[K in N]?: string}
}
