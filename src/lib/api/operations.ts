import {description, type resourceSources} from './description/index.js'
import type {Method, Schema, SchemaMap} from './types.js'

type Sources = typeof resourceSources

export type ResourceName = keyof Sources

/** The operations of one resource group, as in the specification's table: `files.trash`. */
export type OperationIdOf<R extends ResourceName> = {
  [K in R]: `${K}.${keyof Sources[K] & string}`
}[R]

/** Every operation of the service. A name that is not in the description does not compile. */
export type OperationId = OperationIdOf<ResourceName>

/** A method of the description with its place in it. */
export interface Operation extends Method {
  readonly operationId: OperationId
  readonly resource: ResourceName
  /** The method's name within its resource: `trash`. */
  readonly verb: string
  /** Path and query parameters of the method itself, without the common ones. */
  readonly parameters: SchemaMap
  readonly parameterOrder: readonly string[]
}

/** All operations, in the order of the description. */
export const operations: readonly Operation[] = Object.entries(description.resources).flatMap(
  ([resource, {methods}]) =>
    Object.entries(methods).map(([verb, method]) => ({
      parameters: {},
      parameterOrder: [],
      ...method,
      operationId: `${resource}.${verb}` as OperationId,
      resource: resource as ResourceName,
      verb,
    })),
)

const byId = new Map<string, Operation>(operations.map(found => [found.operationId, found]))

export function operation(id: OperationId): Operation {
  return byId.get(id)!
}

export function isOperationId(id: string): id is OperationId {
  return byId.has(id)
}

/** The path parameters first, in `parameterOrder`. */
export function pathParameters({parameterOrder, parameters}: Operation): readonly string[] {
  return parameterOrder.filter(name => parameters[name]?.location === 'path')
}

export function queryParameters({parameters}: Operation): ReadonlyArray<[string, Schema]> {
  return Object.entries(parameters).filter(([, schema]) => schema.location === 'query')
}

/** Follows `$ref` to the schema itself; the reference's own words win over the target's. */
export function resolve(schema: Schema): Schema {
  if (!schema.$ref) return schema
  const target = description.schemas[schema.$ref]
  if (!target) throw new Error(`The description has no schema "${schema.$ref}".`)
  return schema.description ? {...target, description: schema.description} : target
}

/** What the records of a schema may have; nothing for what is no record. */
export function propertiesOf(schema: Schema | undefined): SchemaMap {
  return (schema && resolve(schema).properties) ?? {}
}

/** The schema of an operation's request body, if it takes one. */
export function requestSchema({request}: Operation): Schema | undefined {
  return request && resolve(request)
}

/** The schema of an operation's answer, if it has one. */
export function responseSchema({response}: Operation): Schema | undefined {
  return response && resolve(response)
}

/** Whether a request to this operation must have `property` in its body. */
export function isRequired({id}: Operation, property: Schema): boolean {
  return property.annotations?.required.includes(id) ?? false
}
