import {description, type resourceSources} from '#lib/api/description/index.js'
import {scopes} from '#lib/api/description/scopes.js'
import {ownProperty} from '#lib/platform/values.js'
import type {Method, Resource, RestDescription, Schema, SchemaMap} from './types.js'

type Sources = typeof resourceSources

export type ResourceName = keyof Sources

/** The operation IDs of one resource group, as in the specification's table: `files.trash`. */
export type OperationIdOf<R extends ResourceName> = {
  [K in R]: `${K}.${keyof Sources[K] & string}`
}[R]

/** The IDs of all operations of the built-in description. */
export type OperationId = OperationIdOf<ResourceName>

/** A method of a description, with its ID and its resource. */
export interface Operation extends Method {
  /**
   * `resource.verb`, such as `files.trash`. For another API than the built-in one, the API's name comes
   * first, so that its IDs never match built-in ones.
   */
  readonly operationId: OperationId
  /** The resource it belongs to: `a.b` for a nested one, '' for none. */
  readonly resource: string
  /** The method's name within its resource, such as `trash`. */
  readonly verb: string
  /** Path and query parameters of the method, without the common parameters. */
  readonly parameters: SchemaMap
  readonly parameterOrder: readonly string[]
  /** Flag names in kebab case that its command uses itself, so parameters cannot. */
  readonly reserved?: readonly string[]
  /** The description it belongs to, which resolves schemas, common parameters and paths. */
  readonly document: RestDescription
}

/** All operations of the built-in description, in document order. */
export const operations: readonly Operation[] = operationsOf(description)

const byId = new Map<string, Operation>(operations.map(found => [found.operationId, found]))

export function operation(id: OperationId): Operation {
  return byId.get(id)!
}

export function isOperationId(id: string): id is OperationId {
  return byId.has(id)
}

/**
 * The built-in operation with the same API, ID, method and path as an operation of any description;
 * `undefined` if drv has no such operation.
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

/** All operations of a description: first those without a resource, then in document order. */
export function operationsOf(document: RestDescription): readonly Operation[] {
  const prefix = isOfSameApi(document) ? '' : `${document.name}.`
  const own = (methods: Resource['methods'], resource: string): Operation[] =>
    Object.entries(methods).map(([verb, method]) => ({
      parameters: {},
      parameterOrder: [],
      ...method,
      // IDs of other APIs are not in the type; code that has such an operation passes the ID on unchecked.
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

/** Whether a description is of the built-in API and version, even if another service published it. */
export function isOfSameApi({name, version}: RestDescription): boolean {
  return name === description.name && version === description.version
}

/** Whether it is the built-in description itself, for which `drv` can check more than the document states. */
export function isBuiltIn(document: RestDescription): boolean {
  return document === description
}

/** The names of the path parameters, in `parameterOrder`. */
export function pathParameters({parameterOrder, parameters}: Operation): readonly string[] {
  return parameterOrder.filter(name => ownProperty(parameters, name)?.location === 'path')
}

export function queryParameters({parameters}: Operation): ReadonlyArray<[string, Schema]> {
  return Object.entries(parameters).filter(([, schema]) => schema.location === 'query')
}

/**
 * The schema that `$ref` points to in `schemas`, with the reference's own description if it has one. An
 * unknown reference resolves to a schema that allows any value.
 */
export function resolve(schema: Schema, schemas: SchemaMap): Schema {
  if (schema.$ref === undefined) return schema
  const target = Object.hasOwn(schemas, schema.$ref) ? schemas[schema.$ref]! : {}
  return schema.description ? {...target, description: schema.description} : target
}

/** The properties of a schema; empty for a schema that is not an object. */
export function propertiesOf(schema: Schema | undefined, schemas: SchemaMap): SchemaMap {
  return (schema && resolve(schema, schemas).properties) ?? {}
}

/** The schema of an operation's request body; `undefined` without a body. */
export function requestSchema({request, document}: Operation): Schema | undefined {
  return request && resolve(request, document.schemas)
}

/** The schema of an operation's response; `undefined` without one. */
export function responseSchema({response, document}: Operation): Schema | undefined {
  return response && resolve(response, document.schemas)
}

/** Whether an operation returns a record. HEAD declares a schema, but its response has no body. */
export function hasRecord({response, httpMethod}: Operation): boolean {
  return response !== undefined && httpMethod !== 'HEAD'
}

/**
 * The response field that holds the records of a list: `items`, or else the only list of records in a
 * paginated response. `undefined` for an operation that is not a list.
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

/** The schema of the records of a list; `undefined` for an operation that is not a list. */
export function listedSchema(operation: Operation): Schema | undefined {
  const field = listField(operation)
  const {schemas} = operation.document
  return field === undefined
    ? undefined
    : propertiesOf(responseSchema(operation), schemas)[field]?.items
}

/** Whether `property` is required in the request body of this operation. */
export function isRequired({id}: Operation, property: Schema): boolean {
  return property.annotations?.required?.includes(id) ?? false
}

/** HTTP methods allowed in a description (spec: description-format.md, "Method object"). */
export const HTTP_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

/** Safe methods (RFC 9110, section 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

export function isSafeMethod(httpMethod: string): boolean {
  return SAFE.has(httpMethod)
}

/** Scopes that grant read access only. */
const READ_ONLY_SCOPES = scopes('drive.readonly')

/**
 * Whether an operation changes data: true unless its HTTP method is safe, or it is a built-in operation
 * that accepts `drive.readonly`, such as watching for changes. Other `readonly` scopes prove nothing,
 * because operations that create or copy files accept some of them; nor do scopes of other descriptions.
 */
export function isMutating(operation: Operation): boolean {
  if (isSafeMethod(operation.httpMethod)) return false
  const {scopes: accepted = []} = knownOperation(operation) ?? {}
  return !accepted.some(scope => READ_ONLY_SCOPES.includes(scope))
}

const CREATES_FILE: ReadonlySet<string> = new Set<OperationId>(['files.insert', 'files.copy'])

/** Whether an operation creates a file, whose ID can be chosen in advance. */
export function createsFile(id: string): boolean {
  return CREATES_FILE.has(id)
}
