import {type Operation, propertiesOf, queryParameters, resolve} from '#lib/api/operations.js'
import type {Schema} from '#lib/api/types.js'
import {GLOBAL_FLAGS} from '#lib/cli/output/global-flags.js'
import {kebabCase} from '#lib/platform/values.js'

/** A flag of an operation and what it stands for. */
export interface OperationFlag {
  /** The name behind `--`. */
  readonly flag: string
  /** The name on the wire: of a query parameter, or of a field of the body. */
  readonly name: string
  readonly place: 'query' | 'body'
  /** The object of the body that a field is in: `labels` of `labels.starred`. */
  readonly within?: string
  /** Takes a list: the flag may be repeated. */
  readonly repeated: boolean
  readonly schema: Schema
}

/** Parameters of every method that make sense in a command; the others are the command's own. */
const COMMON = ['fields', 'quotaUser']

/** On unless turned off: a person expects to find what is in shared drives too. */
const SENT_BY_DEFAULT = new Set(['supportsAllDrives', 'includeItemsFromAllDrives'])

/**
 * The name of a path parameter as an argument: `fileId` -> `file_id`, which the help shows as FILE. One that
 * every object of JavaScript has, and oclif would find there, gets a line behind it: `constructor_`.
 */
export function argumentName(parameter: string): string {
  const name = kebabCase(parameter).replaceAll('-', '_')
  return name in Object.prototype ? `${name}_` : name
}

/** Names that no flag of an operation may have, because every command of one has them. */
export const globalFlagNames: readonly string[] = [
  ...Object.keys(GLOBAL_FLAGS),
  'body',
  'help',
  'version',
]

const made = new WeakMap<Operation, readonly OperationFlag[]>()

/**
 * All flags of an operation, made once: its query parameters, and the fields of its body that a request
 * may set and that are a single value or a list of texts. A query parameter keeps its name; a field of
 * the same name, or one that looks like a credential, gets the name of its record in front. What cannot
 * be a flag, or is one of the command's own, has none.
 */
export function operationFlags(operation: Operation): readonly OperationFlag[] {
  const flags = made.get(operation) ?? makeFlags(operation)
  made.set(operation, flags)
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
    // An answer without a record has no fields.
    return schema && (name !== 'fields' || operation.response) ? [[name, schema] as const] : []
  })
  const query = [...queryParameters(operation), ...common]
    .map(([name, schema]): OperationFlag => {
      const {repeated = false} = schema
      return {flag: kebabCase(name), name, place: 'query', repeated, schema}
    })
    .filter(isFlag)
  const taken = new Set([...query.map(({flag}) => flag), ...reserved, 'token'])
  const record = kebabCase(operation.request?.$ref ?? '').replace(/^-/, '')
  const body = bodyFields(operation).map(({name, within, schema}): OperationFlag => {
    const plain = kebabCase(name)
    const flag = taken.has(plain) ? `${record}-${plain}` : plain
    const repeated = schema.type === 'array'
    return {flag, name, place: 'body', repeated, schema, ...(within !== undefined && {within})}
  })
  return [...query, ...body.filter(isFlag)]
}

/** Whether the flag's value is sent although nobody gave it. */
export function isSentByDefault({name, place}: OperationFlag): boolean {
  return place === 'query' && SENT_BY_DEFAULT.has(name)
}

interface BodyField extends Pick<OperationFlag, 'name' | 'within'> {
  readonly schema: Schema
}

/** The single values and lists of texts that a request may set, also those in an object of the body. */
function bodyFields(operation: Operation): BodyField[] {
  const {schemas} = operation.document
  return writableFields(operation.request, schemas).flatMap(([name, schema]): BodyField[] => {
    if (schema.type !== 'object') return isValue(schema) ? [{name, schema}] : []
    return writableFields(schema, schemas)
      .filter(([, inner]) => isValue(inner))
      .map(([inner, schema]) => ({name: `${name}.${inner}`, within: name, schema}))
  })
}

/** `kind` and `etag` say something about an answer, not about a request. */
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

/** `Old name of supportsAllDrives.` -> `supports-all-drives`, where the words name a replacement. */
export function replacement({description: words = ''}: Schema): string | undefined {
  const name = /(?:Old name of|Old form of|Use) (\w+)/.exec(words)?.[1]
  return name && kebabCase(name)
}
