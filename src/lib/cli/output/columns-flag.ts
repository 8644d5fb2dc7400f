import {checkFields, FieldsError, parseFields} from '#lib/api/fields.js'
import {listedSchema, type Operation, resolve, responseSchema} from '#lib/api/operations.js'
import type {Schema, SchemaMap} from '#lib/api/types.js'
import {isObject, quoteText} from '#lib/api/validate.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import type {Row} from './format.js'
import {hintsFor} from './hints.js'
import {recordFields} from './list-fields.js'
import {suggestionText} from './suggestion.js'

/** Reads and checks `--columns`: fields of records, and the path of files. */

/** The path of a file; not a field of the service, but added on request. */
export const PATH_COLUMN = 'path'

/** The columns of content saved to a file. */
export const SAVED_COLUMNS: readonly string[] = ['path', 'size', 'md5', 'mimeType', 'skipped']

/** Parses the value of `--columns`. Throws `UsageError` if it is invalid. */
export function columnsIn(text: string): readonly string[] {
  const columns = text.split(',').map(column => column.trim())
  if (columns.every(column => /^[^\s.]+(\.[^\s.]+)*$/.test(column))) return columns
  throw new UsageError(
    `Invalid --columns ${quoteText(text)}: expected names separated by commas.`,
    'Example: --columns id,labels.trashed. To list all columns, pass --columns help.',
  )
}

/** Whether `--columns help` was given. */
export function isColumnsHelp(columns: readonly string[] | undefined): boolean {
  return columns?.length === 1 && columns[0] === 'help'
}

/** Whether an operation returns files, which have a path column. */
export function isOfFiles(operation: Operation): boolean {
  return recordSchema(operation).id === 'File'
}

/** Throws `UsageError` for a column that the records of an operation's response do not have. */
export function refuseUnknownColumns(operation: Operation, columns: readonly string[]): void {
  const real = columns.filter(column => !isOfFiles(operation) || column !== PATH_COLUMN)
  try {
    if (real.length > 0)
      checkFields(
        parseFields(recordFields(real)),
        recordSchema(operation),
        operation.document.schemas,
      )
  } catch (error) {
    if (!(error instanceof FieldsError)) throw error
    const names = columnNames(operation)
    // Nested names are similar to too many words.
    const near = [...(error.known ?? []), ...names.filter(name => !name.includes('.'))]
    throw unknownColumn(error.selection, columns, names, near)
  }
}

/** Throws `UsageError` for a column that is neither one of `known` nor a parent of one. */
export function refuseColumnsNotAmong(known: readonly string[], columns: readonly string[]): void {
  const isKnown = (column: string) =>
    known.some(name => name === column || name.startsWith(`${column}.`))
  const unknown = columns.find(column => !isKnown(column))
  if (unknown !== undefined) throw unknownColumn(unknown, columns, known)
}

/** The error for an unknown column; suggestions for misspelled ones come from `near`. */
function unknownColumn(
  column: string,
  columns: readonly string[],
  known: readonly string[],
  near = known,
): UsageError {
  const suggested = (name: string) => {
    const isMeant = hintsFor('fields', name).some(other => known.includes(other))
    return suggestionText(
      'fields',
      name,
      isMeant ? known : near,
      'To list all columns, pass --columns help.',
    )
  }
  const wrong = columns.filter(name => name !== column && !known.includes(name))
  return new UsageError(
    `Unknown column ${quoteText(column)} in --columns.`,
    suggested(column).hint,
    [],
    [column, ...wrong].flatMap(name => suggested(name).meant),
  )
}

/** The names of all columns of an operation's response; nested ones as `a.b`. */
export function columnNames(operation: Operation): string[] {
  const names = namesBelow(recordSchema(operation), [], operation.document.schemas)
  return isOfFiles(operation) ? [...names, PATH_COLUMN] : names
}

/** The names of all columns of existing records. */
export function recordColumnNames(records: readonly Row[]): string[] {
  const names = records.flatMap(record =>
    Object.entries(record).flatMap(([name, value]) => [
      name,
      ...(isObject(value) ? recordColumnNames([value]).map(below => `${name}.${below}`) : []),
    ]),
  )
  return [...new Set(names)]
}

/** The schema of a list's records, or of the response itself. */
function recordSchema(operation: Operation): Schema {
  return resolve(
    listedSchema(operation) ?? responseSchema(operation) ?? {},
    operation.document.schemas,
  )
}

/** The names of nested properties; `above` are the enclosing schemas, which end recursion. */
function namesBelow(schema: Schema, above: readonly Schema[], schemas: SchemaMap): string[] {
  const {properties = {}} = schema
  return Object.entries(properties).flatMap(([name, property]) => {
    const inner = resolve(property.items ?? property, schemas)
    const isKnown = [...above, schema].some(({id}) => id !== undefined && id === inner.id)
    const below = isKnown ? [] : namesBelow(inner, [...above, schema], schemas)
    return [name, ...below.map(path => `${name}.${path}`)]
  })
}
