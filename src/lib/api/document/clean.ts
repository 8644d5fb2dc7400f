import type {MediaUpload, Method, Resource, RestDescription, Schema, SchemaMap} from '../types.js'
import {isObject} from '../validate.js'

/**
 * A description of whatever origin as requests can be made by it: what has another type than the format
 * says is left out, and every name in a path is a required parameter (reference:
 * description-format.md, sections 2 and 4). What is wrong with it `drv api validate` tells.
 */
export function cleaned(document: RestDescription): RestDescription {
  return {
    ...document,
    parameters: schemas(document.parameters),
    schemas: schemas(document.schemas),
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
  const known = schemas(given.parameters)
  const parameters = {
    ...known,
    ...Object.fromEntries(
      inPath.map(name => [
        name,
        {type: 'string', ...own(known, name), location: 'path', required: true} as const,
      ]),
    ),
  }
  const order = [...inPath, ...(given.parameterOrder ?? []), ...Object.keys(parameters)]
  const required = order.filter(name => own(parameters, name)?.required)
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
  const $ref = isObject(given) ? given.$ref : undefined
  return (typeof $ref === 'string' ? {[name]: {$ref}} : {}) as {[K in N]?: {readonly $ref: string}}
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
      accept: texts(accept),
      ...(typeof maxSize === 'string' && {maxSize}),
      protocols: Object.fromEntries(paths),
    },
  }
}

const TEXTS = ['id', '$ref', 'type', 'format', 'default', 'pattern', 'description'] as const
const SWITCHES = ['required', 'repeated', 'deprecated', 'readOnly'] as const
const BOUNDS = ['minimum', 'maximum'] as const

function schema(given: Schema): Schema {
  const members = given as Readonly<Record<string, unknown>>
  const kept = (names: readonly string[], fits: (value: unknown) => boolean) =>
    names.filter(name => fits(members[name])).map(name => [name, members[name]] as const)
  const {location, annotations, items, additionalProperties, properties} = members
  return {
    ...Object.fromEntries([
      ...kept(TEXTS, value => typeof value === 'string'),
      ...kept(SWITCHES, value => typeof value === 'boolean'),
      ...kept(BOUNDS, value => /^-?\d+$/.test(String(value))),
    ]),
    ...((location === 'path' || location === 'query') && {location}),
    ...(Array.isArray(members.enum) && {
      enum: texts(members.enum),
      enumDescriptions: texts(members.enumDescriptions),
    }),
    ...(isObject(annotations) && {annotations: {required: texts(annotations.required)}}),
    ...(isObject(items) && {items: schema(items)}),
    ...(isObject(additionalProperties) && {additionalProperties: schema(additionalProperties)}),
    ...(isObject(properties) && {properties: schemas(properties as SchemaMap)}),
  }
}

function schemas(given: SchemaMap | undefined): SchemaMap {
  return mapped(given, one => (isObject(one) ? schema(one) : {}))
}

function mapped<T>(
  given: Readonly<Record<string, T>> | undefined,
  make: (one: T) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(given ?? {}).map(([name, one]) => [name, make(one)]))
}

function texts(given: unknown): readonly string[] {
  return Array.isArray(given) ? given.filter(text => typeof text === 'string') : []
}

function own(all: SchemaMap, name: string): Schema | undefined {
  return Object.hasOwn(all, name) ? all[name] : undefined
}
