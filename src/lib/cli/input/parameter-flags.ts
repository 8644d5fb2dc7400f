import {type Operation, propertiesOf, queryParameters, resolve} from '#lib/api/operations.js'
import type {Schema} from '#lib/api/types.js'
import {GLOBAL_FLAGS} from '#lib/cli/output/global-flags.js'
import {kebabCase} from '#lib/platform/values.js'

/** A flag of an operation, and the parameter or body field it sets. */
export interface OperationFlag {
  /** The name after `--`. */
  readonly flag: string
  /** The name of the query parameter or body field in the request. */
  readonly name: string
  readonly place: 'query' | 'body'
  /** The object that contains a nested body field: `labels` for `labels.starred`. */
  readonly within?: string
  /** Whether the flag is repeatable and sets a list. */
  readonly repeated: boolean
  readonly schema: Schema
}

/** The common parameters that are flags; drv sets the others itself. */
const COMMON = ['fields', 'quotaUser']

/** Parameters that are true by default, because users expect shared drives to be included. */
const SENT_BY_DEFAULT = new Set(['supportsAllDrives', 'includeItemsFromAllDrives'])

/**
 * The argument name of a path parameter: `fileId` -> `file_id`, shown as FILE in help. A name in
 * `Object.prototype`, which would confuse oclif, gets a trailing underscore: `constructor_`.
 */
export function argumentName(parameter: string): string {
  const name = kebabCase(parameter).replaceAll('-', '_')
  return name in Object.prototype ? `${name}_` : name
}

/** Flag names that every command uses, so parameters cannot. */
export const globalFlagNames: readonly string[] = [
  ...Object.keys(GLOBAL_FLAGS),
  'body',
  'help',
  'version',
]

const cache = new WeakMap<Operation, readonly OperationFlag[]>()

/**
 * All flags of an operation, cached: its query parameters, and the writable body fields that are a single
 * value or a list of strings. A query parameter keeps its name; a body field of the same name, or `token`,
 * which would suggest a credential, is prefixed with its schema's name. Invalid and reserved names get no flag.
 */
export function operationFlags(operation: Operation): readonly OperationFlag[] {
  const flags = cache.get(operation) ?? makeFlags(operation)
  cache.set(operation, flags)
  return flags
}

function makeFlags(operation: Operation): OperationFlag[] {
  const {parameters} = operation.document
  const reserved = new Set([...globalFlagNames, ...(operation.reserved ?? [])])
  const isFlag = ({flag, within}: OperationFlag) => {
    const plain = within === undefined ? flag : flag.replace('.', '-')
    return /^[a-z][a-z\d-]*$/.test(plain) && !reserved.has(flag)
  }
  const common = COMMON.flatMap(name => {
    const {[name]: schema} = parameters
    // Without a response schema there are no fields to select.
    return schema && (name !== 'fields' || operation.response) ? [[name, schema] as const] : []
  })
  const query = [...queryParameters(operation), ...common]
    .map(([name, schema]): OperationFlag => {
      const {repeated = false} = schema
      return {flag: kebabCase(name), name, place: 'query', repeated, schema}
    })
    .filter(isFlag)
  const usedNames = new Set([...query.map(({flag}) => flag), ...reserved, 'token'])
  const record = kebabCase(operation.request?.$ref ?? '').replace(/^-/, '')
  const body = bodyFields(operation).map(({name, within, schema}): OperationFlag => {
    const plain = kebabCase(name)
    const flag = usedNames.has(plain) ? `${record}-${plain}` : plain
    const repeated = schema.type === 'array'
    return {flag, name, place: 'body', repeated, schema, ...(within !== undefined && {within})}
  })
  return [...query, ...body.filter(isFlag)]
}

/** Whether the flag is sent as true if it is not set. */
export function isSentByDefault({name, place}: OperationFlag): boolean {
  return place === 'query' && SENT_BY_DEFAULT.has(name)
}

interface BodyField extends Pick<OperationFlag, 'name' | 'within'> {
  readonly schema: Schema
}

/** The writable body fields that are single values or lists of strings, including nested ones. */
function bodyFields(operation: Operation): BodyField[] {
  const {schemas} = operation.document
  return writableFields(operation.request, schemas).flatMap(([name, schema]): BodyField[] => {
    if (schema.type !== 'object') return isValue(schema) ? [{name, schema}] : []
    return writableFields(schema, schemas)
      .filter(([, inner]) => isValue(inner))
      .map(([inner, schema]) => ({name: `${name}.${inner}`, within: name, schema}))
  })
}

/** The writable fields of a schema, without `kind` and `etag`, which only responses use. */
function writableFields(
  of: Schema | undefined,
  schemas: Operation['document']['schemas'],
): Array<readonly [string, Schema]> {
  return Object.entries(propertiesOf(of, schemas))
    .filter(([name, schema]) => !schema.readOnly && name !== 'kind' && name !== 'etag')
    .map(([name, schema]) => [name, resolve(schema, schemas)] as const)
}

function isValue({type, items}: Schema): boolean {
  return type === 'array' ? items?.type === 'string' : type !== 'object' && type !== undefined
}

/** The flag that replaces a deprecated one: `Deprecated: use supportsAllDrives.` -> `supports-all-drives`; `undefined` without a replacement. */
export function successorFlag({description = ''}: Schema): string | undefined {
  const name = /^Deprecated: use (\w+)/.exec(description)?.[1]
  return name && kebabCase(name)
}
