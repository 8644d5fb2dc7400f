import {description, type resourceSources} from '#lib/api/description/index.js'
import {scopes} from '#lib/api/description/scopes.js'
import {own} from '#lib/platform/values.js'
import type {Method, Resource, RestDescription, Schema, SchemaMap} from './types.js'

type Sources = typeof resourceSources

export type ResourceName = keyof Sources

/** The operations of one resource group, as in the specification's table: `files.trash`. */
export type OperationIdOf<R extends ResourceName> = {
  [K in R]: `${K}.${keyof Sources[K] & string}`
}[R]

/** Every operation of the built-in description. A name that is not in there does not compile. */
export type OperationId = OperationIdOf<ResourceName>

/** A method of a description with its place in it. */
export interface Operation extends Method {
  /**
   * Its place: `files.trash`. Methods of another API than the built-in one have that API's name in
   * front, so that none is taken for one of these.
   */
  readonly operationId: OperationId
  /** The resource that it belongs to, `a.b` for one within another, '' for none. */
  readonly resource: string
  /** The method's name within its resource: `trash`. */
  readonly verb: string
  /** Path and query parameters of the method itself, without the common ones. */
  readonly parameters: SchemaMap
  readonly parameterOrder: readonly string[]
  /** Names in kebab case that flags of its parameters must not have, for its command has them. */
  readonly reserved?: readonly string[]
  /** The description it belongs to: records, common parameters and paths are those in there. */
  readonly document: RestDescription
}

/** All operations of the built-in description, in its order. */
export const operations: readonly Operation[] = operationsOf(description)

const byId = new Map<string, Operation>(operations.map(found => [found.operationId, found]))

export function operation(id: OperationId): Operation {
  return byId.get(id)!
}

export function isOperationId(id: string): id is OperationId {
  return byId.has(id)
}

/**
 * The built-in operation that an operation of any description is: it has the same ID, method and path.
 * `undefined` for one that drv knows from that description alone.
 */
export function knownOperation({
  operationId,
  httpMethod,
  path,
  document,
}: Operation): Operation | undefined {
  const known = isOfSameApi(document) ? byId.get(operationId) : undefined
  return known?.httpMethod === httpMethod && known.path === path ? known : undefined
}

/** All operations of a description: those of no resource first, then as the tree has them. */
export function operationsOf(document: RestDescription): readonly Operation[] {
  const prefix = isOfSameApi(document) ? '' : `${document.name}.`
  const own = (methods: Resource['methods'], resource: string): Operation[] =>
    Object.entries(methods).map(([verb, method]) => ({
      parameters: {},
      parameterOrder: [],
      ...method,
      // Of other descriptions nobody knows the IDs beforehand: whoever has one asks its client for it.
      operationId: (prefix + (resource === '' ? verb : `${resource}.${verb}`)) as OperationId,
      resource,
      verb,
      document,
    }))
  const below = (resources: RestDescription['resources'], above: string): Operation[] =>
    Object.entries(resources).flatMap(([name, {methods, resources: inner = {}}]) => {
      const resource = above + name
      return [...own(methods, resource), ...below(inner, `${resource}.`)]
    })
  return [...own(document.methods ?? {}, ''), ...below(document.resources, '')]
}

/** Whether a description is of the API that `drv` is built for, though perhaps another service's. */
export function isOfSameApi({name, version}: RestDescription): boolean {
  return name === description.name && version === description.version
}

/** Whether it is the built-in description itself, beyond which `drv` knows more of what it describes. */
export function isBuiltIn(document: RestDescription): boolean {
  return document === description
}

/** The path parameters first, in `parameterOrder`. */
export function pathParameters({parameterOrder, parameters}: Operation): readonly string[] {
  return parameterOrder.filter(name => own(parameters, name)?.location === 'path')
}

export function queryParameters({parameters}: Operation): ReadonlyArray<[string, Schema]> {
  return Object.entries(parameters).filter(([, schema]) => schema.location === 'query')
}

/**
 * Follows `$ref` to the schema itself, among `schemas`; the reference's own words win over the
 * target's. What is not there may be anything.
 */
export function resolve(schema: Schema, schemas: SchemaMap): Schema {
  if (schema.$ref === undefined) return schema
  const target = Object.hasOwn(schemas, schema.$ref) ? schemas[schema.$ref]! : {}
  return schema.description ? {...target, description: schema.description} : target
}

/** What the records of a schema may have; nothing for what is no record. */
export function propertiesOf(schema: Schema | undefined, schemas: SchemaMap): SchemaMap {
  return (schema && resolve(schema, schemas).properties) ?? {}
}

/** The schema of an operation's request body, if it takes one. */
export function requestSchema({request, document}: Operation): Schema | undefined {
  return request && resolve(request, document.schemas)
}

/** The schema of an operation's answer, if it has one. */
export function responseSchema({response, document}: Operation): Schema | undefined {
  return response && resolve(response, document.schemas)
}

/** Whether an operation answers with a record: a HEAD has the schema of one, and only headers come. */
export function hasRecord({response, httpMethod}: Operation): boolean {
  return response !== undefined && httpMethod !== 'HEAD'
}

/**
 * The field of an operation's answer that holds the records of a list: `items`, or in descriptions
 * with other names the only list of records that comes in pages. `undefined` for what is no list.
 */
export function listField(operation: Operation): string | undefined {
  const {schemas} = operation.document
  const properties = propertiesOf(responseSchema(operation), schemas)
  if (Object.hasOwn(properties, 'items')) return 'items'
  if (!operation.parameters.pageToken || !properties.nextPageToken) return undefined
  const lists = Object.entries(properties).filter(
    ([, {type, items}]) => type === 'array' && items && resolve(items, schemas).properties,
  )
  return lists.length === 1 ? lists[0]![0] : undefined
}

/** The schema of the records of a list. */
export function listedSchema(operation: Operation): Schema | undefined {
  const field = listField(operation)
  const {schemas} = operation.document
  return field === undefined
    ? undefined
    : propertiesOf(responseSchema(operation), schemas)[field]?.items
}

/** Whether a request to this operation must have `property` in its body. */
export function isRequired({id}: Operation, property: Schema): boolean {
  return property.annotations?.required?.includes(id) ?? false
}

/** The methods of HTTP that a description may name (spec: description-format.md, "Method object"). */
export const HTTP_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

/** Methods that only read (RFC 9110, section 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether a method of HTTP only reads. */
export function isSafeMethod(httpMethod: string): boolean {
  return SAFE.has(httpMethod)
}

/** The scope that lets a token read everything, and change nothing. */
const READING = scopes('drive.readonly')

/**
 * Whether an operation changes something: all do but those that only read by their method, and those of
 * the built-in description for which a token that only reads is enough, such as watching for changes. The
 * other scopes with `readonly` in their name say nothing: they are also among those that make or copy a
 * file. Nor do the scopes that another description names.
 */
export function changesSomething(operation: Operation): boolean {
  if (isSafeMethod(operation.httpMethod)) return false
  const {scopes: accepted = []} = knownOperation(operation) ?? {}
  return !accepted.some(scope => READING.includes(scope))
}
