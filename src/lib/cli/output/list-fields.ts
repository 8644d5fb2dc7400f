import {FieldsError, parseFields} from '#lib/api/fields.js'
import {
  listedSchema,
  listField,
  type Operation,
  propertiesOf,
  responseSchema,
} from '#lib/api/operations.js'
import type {SchemaMap} from '#lib/api/types.js'
import {kindPaths} from './columns.js'
import type {OutputFormat} from './format.js'

/**
 * The `fields` parameter for `--fields` of a list: `id,title` becomes `items(id,title)`. The service
 * reports unknown names.
 */
export function listFields(operation: Operation, text: string): string {
  const list = responseFields(operation)
  const records = propertiesOf(listedSchema(operation), operation.document.schemas)
  const names = namesIn(text)
  const isOfList = names.every(name => Object.hasOwn(list, name))
  return !isOfList && names.some(name => Object.hasOwn(records, name))
    ? `${listField(operation)}(${text})`
    : text
}

/**
 * The `fields` parameter for a list that shows only its default columns (reference: protocols.md, section
 * 4), including page tokens. `undefined` if the columns are not known in advance.
 */
export function shownFields(operation: Operation, format: OutputFormat): string | undefined {
  const record = propertiesOf(listedSchema(operation), operation.document.schemas)
  const paths = shownPaths(record, format)
  return paths && pageFields(operation, paths)
}

/** The `fields` parameter for a single record shown as a row; like `shownFields`. */
export function rowFields(operation: Operation, format: OutputFormat): string | undefined {
  const paths = shownPaths(responseFields(operation), format)
  return paths && recordFields(paths)
}

function shownPaths(record: SchemaMap, {fields, isForPeople = false}: OutputFormat) {
  if (!fields) return kindPaths(record.kind?.default, isForPeople)
  const first = fields.find(name => Object.hasOwn(record, name))
  return first === undefined ? undefined : [first]
}

/** The `fields` parameter for these paths of a list's records, including page tokens. */
export function pageFields(operation: Operation, paths: readonly string[]): string {
  const list = responseFields(operation)
  const rest = ['nextPageToken', 'newStartPageToken'].filter(name => Object.hasOwn(list, name))
  return [...rest, `${listField(operation)}(${recordFields(paths)})`].join(',')
}

/** The fields of an operation's response. */
function responseFields(operation: Operation): SchemaMap {
  return propertiesOf(responseSchema(operation), operation.document.schemas)
}

/** The `fields` parameter for these paths of a record. */
export function recordFields(paths: readonly string[]): string {
  return paths.map(path => path.replaceAll('.', '/')).join(',')
}

/** The top-level names of a selector; empty if it is invalid. */
function namesIn(text: string): string[] {
  try {
    return Object.keys(parseFields(text))
  } catch (error) {
    if (error instanceof FieldsError) return []
    throw error
  }
}
