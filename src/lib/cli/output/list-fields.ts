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
 * What `--fields` asks of a list: names of its records are enough, so that `id,title` means
 * `items(id,title)`. What is in neither is left to the service, which says what is wrong with it.
 */
export function listFields(operation: Operation, text: string): string {
  const list = answerFields(operation)
  const records = propertiesOf(listedSchema(operation), operation.document.schemas)
  const names = namesIn(text)
  const isOfList = names.every(name => Object.hasOwn(list, name))
  return !isOfList && names.some(name => Object.hasOwn(records, name))
    ? `${listField(operation)}(${text})`
    : text
}

/**
 * What to ask of a list of which only the columns are shown (reference: protocols.md, section 4):
 * these, a table's own for people, and what else its pages say. `undefined` where nobody knows them
 * beforehand.
 */
export function shownFields(operation: Operation, format: OutputFormat): string | undefined {
  const record = propertiesOf(listedSchema(operation), operation.document.schemas)
  const paths = shownPaths(record, format)
  return paths && pageFields(operation, paths)
}

/** What to ask of an operation's record of which only a row is shown, as `shownFields` of a list's. */
export function rowFields(operation: Operation, format: OutputFormat): string | undefined {
  const paths = shownPaths(answerFields(operation), format)
  return paths && recordFields(paths)
}

function shownPaths(record: SchemaMap, {fields, isForPeople = false}: OutputFormat) {
  if (!fields) return kindPaths(record.kind?.default, isForPeople)
  const first = fields.find(name => Object.hasOwn(record, name))
  return first === undefined ? undefined : [first]
}

/** What to ask of a list for some paths of its records, with what its pages say besides. */
export function pageFields(operation: Operation, paths: readonly string[]): string {
  const list = answerFields(operation)
  const rest = ['nextPageToken', 'newStartPageToken'].filter(name => Object.hasOwn(list, name))
  return [...rest, `${listField(operation)}(${recordFields(paths)})`].join(',')
}

/** The fields of an operation's answer. */
function answerFields(operation: Operation): SchemaMap {
  return propertiesOf(responseSchema(operation), operation.document.schemas)
}

/** What to ask of a record for some paths of it. */
export function recordFields(paths: readonly string[]): string {
  return paths.map(path => path.replaceAll('.', '/')).join(',')
}

/** The names that a selector begins with; none where it cannot be read. */
function namesIn(text: string): string[] {
  try {
    return Object.keys(parseFields(text))
  } catch (error) {
    if (error instanceof FieldsError) return []
    throw error
  }
}
