import type {Method, RestDescription, Schema, SchemaMap} from '../../../src/lib/api/types.js'

/**
 * Says what is wrong with a description document, one sentence for each problem, with its place in
 * front. First comes the shape; only in a document of the right shape can the parts be compared.
 */
export function checkDocument(document: unknown): string[] {
  const problems = checkShape(document, ROOT)
  return problems.length > 0 ? problems : checkConsistency(document as Document)
}

const ROOT = 'document'

function at(place: string, key: string): string {
  return place === ROOT ? key : `${place}.${key}`
}

/*
 * Shape (spec: description-format.md, "Resources and their fields"). A check names the problems of
 * one value. Unknown keys pass, as the format grows.
 */

type Check = (value: unknown, place: string) => string[]

function simple(words: string, holds: (value: unknown) => boolean): Check {
  return (value, place) => (holds(value) ? [] : [`${place}: must be ${words}.`])
}

const text = simple('text', value => typeof value === 'string')

const flag = simple('true or false', value => typeof value === 'boolean')

const decimal = simple('a number written as text', value => isNumber(value))

const size = simple(
  'a size such as 1MB, 2GB or 3TB',
  value => typeof value === 'string' && /^\d+([KMGT]?B)?$/i.test(value),
)

function oneOf(...values: readonly string[]): Check {
  return simple(values.length > 1 ? `one of ${values.join(', ')}` : values.join(), value =>
    values.some(allowed => allowed === value),
  )
}

function list(each: Check): Check {
  return (value, place) =>
    Array.isArray(value)
      ? value.flatMap((element, index) => each(element, `${place}[${index}]`))
      : [`${place}: must be an array.`]
}

function map(each: Check): Check {
  return (value, place) =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, entry]) => each(entry, at(place, key)))
      : [`${place}: must be an object.`]
}

function object(fields: Readonly<Record<string, Check>>, required: readonly string[] = []): Check {
  return (value, place) =>
    isObject(value)
      ? Object.entries(fields).flatMap(([key, check]) => {
          if (Object.hasOwn(value, key)) return check(value[key], at(place, key))
          return required.includes(key) ? [`${at(place, key)}: is missing.`] : []
        })
      : [`${place}: must be an object.`]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A function, unlike the other checks, because schemas contain schemas. */
function schema(value: unknown, place: string): string[] {
  return object(schemaFields)(value, place)
}

const schemaFields = {
  id: text,
  type: oneOf('string', 'integer', 'number', 'boolean', 'object', 'array', 'any', 'null'),
  $ref: text,
  description: text,
  default: text,
  required: flag,
  deprecated: flag,
  readOnly: flag,
  format: text,
  pattern: text,
  minimum: decimal,
  maximum: decimal,
  enum: list(text),
  enumDescriptions: list(text),
  enumDeprecated: list(flag),
  repeated: flag,
  location: oneOf('path', 'query'),
  properties: map(schema),
  additionalProperties: schema,
  items: schema,
  annotations: object({required: list(text)}),
}

const parameter = object(schemaFields, ['location'])

const uploadProtocol = object({multipart: flag, path: text}, ['path'])

const method = object(
  {
    id: text,
    path: text,
    flatPath: text,
    httpMethod: oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'),
    description: text,
    deprecated: flag,
    parameters: map(parameter),
    parameterOrder: list(text),
    request: object({$ref: text, parameterName: text}, ['$ref']),
    response: object({$ref: text}, ['$ref']),
    scopes: list(text),
    supportsMediaDownload: flag,
    useMediaDownloadService: flag,
    supportsMediaUpload: flag,
    mediaUpload: object({
      accept: list(text),
      maxSize: size,
      protocols: object({simple: uploadProtocol, resumable: uploadProtocol}),
    }),
    supportsSubscription: flag,
  },
  ['id', 'path', 'httpMethod'],
)

/** A function for the same reason as `schema`. */
function resource(value: unknown, place: string): string[] {
  return object({methods: map(method), deprecated: flag, resources: map(resource)})(value, place)
}

/** What a reader cannot do without is required; the rest may be left out. */
const checkShape = object(
  {
    kind: oneOf('discovery#restDescription'),
    discoveryVersion: text,
    id: text,
    name: text,
    canonicalName: text,
    version: text,
    revision: text,
    title: text,
    description: text,
    icons: object({x16: text, x32: text}),
    documentationLink: text,
    labels: list(text),
    protocol: oneOf('rest'),
    baseUrl: text,
    basePath: text,
    rootUrl: text,
    servicePath: text,
    batchPath: text,
    endpoints: list(
      object({endpointUrl: text, location: text, description: text, deprecated: flag}),
    ),
    parameters: map(parameter),
    auth: object({oauth2: object({scopes: map(object({description: text}))}, ['scopes'])}, [
      'oauth2',
    ]),
    features: list(text),
    schemas: map(schema),
    methods: map(method),
    resources: map(resource),
  },
  ['kind', 'rootUrl', 'servicePath'],
)

/*
 * Consistency (reference: description-format.md, section 8).
 */

/** A method as the shape check leaves it: less is certain than in the project's own description. */
type AnyMethod = Partial<Method> & Pick<Method, 'id' | 'path' | 'httpMethod'>

interface Level {
  readonly methods?: Readonly<Record<string, AnyMethod>>
  readonly resources?: Readonly<Record<string, Level>>
}

type Document = Level & Omit<Partial<RestDescription>, keyof Level>

interface PlacedMethod {
  readonly place: string
  /** The id that the method should have where it stands. */
  readonly expectedId: string
  readonly method: AnyMethod
}

interface PlacedSchema {
  readonly place: string
  readonly schema: Schema
}

/** What the names in a method or a schema can refer to. */
interface Names {
  readonly schemas: ReadonlySet<string>
  readonly scopes: ReadonlySet<string>
  readonly methods: ReadonlySet<string>
}

function checkConsistency(document: Document): string[] {
  const methods = methodsIn(document, ROOT, document.name ?? '')
  const schemas = [
    ...schemasOf(document.parameters, 'parameters'),
    ...schemasOf(document.schemas, 'schemas'),
    ...methods.flatMap(({place, method}) => schemasOf(method.parameters, `${place}.parameters`)),
  ]
  const names: Names = {
    schemas: new Set(Object.keys(document.schemas ?? {})),
    scopes: new Set(Object.keys(document.auth?.oauth2.scopes ?? {})),
    methods: new Set(methods.map(({method}) => method.id)),
  }
  return [
    ...(document.name === undefined ? [] : methods.flatMap(checkPosition)),
    ...checkUniqueIds(methods),
    ...methods.flatMap(placed => checkMethod(placed, names)),
    ...schemas.flatMap(placed => checkSchema(placed, names)),
  ]
}

function methodsIn(
  {methods = {}, resources = {}}: Level,
  place: string,
  id: string,
): PlacedMethod[] {
  return [
    ...Object.entries(methods).map(([name, method]) => ({
      place: `${at(place, 'methods')}.${name}`,
      expectedId: `${id}.${name}`,
      method,
    })),
    ...Object.entries(resources).flatMap(([name, level]) =>
      methodsIn(level, `${at(place, 'resources')}.${name}`, `${id}.${name}`),
    ),
  ]
}

function schemasOf(map: SchemaMap = {}, place: string): PlacedSchema[] {
  return Object.entries(map).flatMap(([name, schema]) => schemasIn(schema, `${place}.${name}`))
}

/** The schema itself and all schemas inside it. References are not followed: they may go in circles. */
function schemasIn(schema: Schema, place: string): PlacedSchema[] {
  const {properties, additionalProperties, items} = schema
  return [
    {place, schema},
    ...schemasOf(properties, `${place}.properties`),
    ...(additionalProperties
      ? schemasIn(additionalProperties, `${place}.additionalProperties`)
      : []),
    ...(items ? schemasIn(items, `${place}.items`) : []),
  ]
}

function checkPosition({place, expectedId, method}: PlacedMethod): string[] {
  return method.id === expectedId
    ? []
    : [`${place}.id: is "${method.id}", but its place in the document makes it "${expectedId}".`]
}

function checkUniqueIds(methods: readonly PlacedMethod[]): string[] {
  const owners = new Map<string, string>()
  return methods.flatMap(({place, method: {id}}) => {
    const owner = owners.get(id)
    if (owner) return [`${place}.id: "${id}" is already the id of ${owner}.`]
    owners.set(id, place)
    return []
  })
}

function checkMethod({place, method}: PlacedMethod, names: Names): string[] {
  return [
    ...checkPathParameters(method, place),
    ...checkParameterOrder(method, place),
    ...checkUploadPaths(method, place),
    ...checkReference(method.request, `${place}.request`, names),
    ...checkReference(method.response, `${place}.response`, names),
    ...(method.scopes ?? [])
      .filter(scope => !names.scopes.has(scope))
      .map(scope => `${place}.scopes: names "${scope}", which is not a scope of auth.`),
  ]
}

function checkPathParameters({path, parameters = {}}: AnyMethod, place: string): string[] {
  const inPath = placeholders(path)
  const missing = [...inPath].filter(name => !Object.hasOwn(parameters, name))
  return [
    ...missing.map(name => `${place}.parameters.${name}: is named in the path, but is missing.`),
    ...Object.entries(parameters).flatMap(([name, {location, required}]) => {
      const parameter = `${place}.parameters.${name}`
      if (!inPath.has(name)) {
        return location === 'path'
          ? [`${parameter}: has the location path, but the path does not name it.`]
          : []
      }
      if (location !== 'path') return [`${parameter}: is named in the path, so it belongs there.`]
      return required ? [] : [`${parameter}: is named in the path, so it must be required.`]
    }),
  ]
}

/** The variables of a URI template (RFC 6570), whatever their operator. */
function placeholders(template: string): ReadonlySet<string> {
  const variables = [...template.matchAll(/\{[+#./;?&]?([^}]*)\}/g)].flatMap(([, names = '']) =>
    names.split(','),
  )
  return new Set(variables.map(name => name.replace(/\*$|:\d+$/, '')))
}

function checkParameterOrder(
  {parameterOrder = [], parameters = {}}: AnyMethod,
  place: string,
): string[] {
  return parameterOrder
    .filter(name => !(Object.hasOwn(parameters, name) && parameters[name]?.required))
    .map(name => `${place}.parameterOrder: names "${name}", which is not a required parameter.`)
}

function checkUploadPaths({path, mediaUpload}: AnyMethod, place: string): string[] {
  const expected = [...placeholders(path)].sort().join()
  return Object.entries(mediaUpload?.protocols ?? {})
    .filter(([, protocol]) => [...placeholders(protocol.path)].sort().join() !== expected)
    .map(
      ([name]) =>
        `${place}.mediaUpload.protocols.${name}.path: must have the same placeholders as the path of the method.`,
    )
}

function checkSchema({place, schema}: PlacedSchema, names: Names): string[] {
  return [
    ...checkReference(schema, place, names),
    ...checkEnum(schema, place),
    ...checkDefault(schema, `${place}.default`),
    ...(schema.annotations?.required ?? [])
      .filter(id => !names.methods.has(id))
      .map(id => `${place}.annotations.required: names "${id}", which is not a method.`),
  ]
}

function checkReference(
  holder: {readonly $ref?: string} | undefined,
  place: string,
  {schemas}: Names,
): string[] {
  const name = holder?.$ref
  return name === undefined || schemas.has(name)
    ? []
    : [`${place}.$ref: names "${name}", which is not a schema.`]
}

function checkEnum(schema: Schema, place: string): string[] {
  const values = schema.enum?.length ?? 0
  return (['enumDescriptions', 'enumDeprecated'] as const).flatMap(key => {
    const entries = schema[key]?.length ?? values
    return entries === values
      ? []
      : [`${place}.${key}: must have as many entries as enum, ${values}, but has ${entries}.`]
  })
}

function checkDefault(schema: Schema, place: string): string[] {
  const {default: value, minimum, maximum} = schema
  if (value === undefined) return []
  const words = notParsable(schema, value)
  if (words) return [`${place}: "${value}" is not ${words}.`]
  if (schema.enum && !schema.enum.includes(value)) {
    return [`${place}: "${value}" is not one of ${schema.enum.join(', ')}.`]
  }
  if (minimum !== undefined && Number(value) < Number(minimum)) {
    return [`${place}: "${value}" is below the minimum, ${minimum}.`]
  }
  if (maximum !== undefined && Number(value) > Number(maximum)) {
    return [`${place}: "${value}" is above the maximum, ${maximum}.`]
  }
  return []
}

/** What `value` should be, if its schema's type does not allow it. */
function notParsable({type, format}: Schema, value: string): string | undefined {
  if (type === 'boolean') return /^(true|false)$/.test(value) ? undefined : 'true or false'
  if (type === 'number') return isNumber(value) ? undefined : 'a number'
  const whole = type === 'integer' || format === 'int64' || format === 'uint64'
  return !whole || /^-?\d+$/.test(value) ? undefined : 'a whole number'
}

function isNumber(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
}
