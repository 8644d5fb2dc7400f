import {checkFields, FieldsError, parseFields} from '#lib/api/fields.js'
import {listedSchema, type Operation, resolve, responseSchema} from '#lib/api/operations.js'
import type {Schema, SchemaMap} from '#lib/api/types.js'
import {isObject, shown} from '#lib/api/validate.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import type {Row} from './format.js'
import {meanings} from './hints.js'
import {recordFields} from './list-fields.js'
import {suggestion} from './suggestion.js'

/** What `--columns` names: fields of records, and what is found out about files. */

/** Where a file lies; no field of the record, but put there where it is asked for. */
export const PATH_COLUMN = 'path'

/** What is told of content that was written to a file. */
export const SAVED_COLUMNS: readonly string[] = ['path', 'size', 'md5', 'mimeType', 'skipped']

/** The columns that the value of `--columns` names. Throws `UsageError` where it names none. */
export function columnsIn(text: string): readonly string[] {
  const columns = text.split(',').map(column => column.trim())
  if (columns.every(column => /^[^\s.]+(\.[^\s.]+)*$/.test(column))) return columns
  throw new UsageError(
    `--columns must be names with commas between, not ${shown(text)}.`,
    'An example: --columns id,labels.trashed; `--columns help` lists them.',
  )
}

/** Whether only the names of the columns are wanted. */
export function isColumnsHelp(columns: readonly string[] | undefined): boolean {
  return columns?.length === 1 && columns[0] === 'help'
}

/** Whether an operation answers with files, of which it can be told where they lie. */
export function isOfFiles(operation: Operation): boolean {
  return recordSchema(operation).id === 'File'
}

/** Throws `UsageError` for a column that the records of an operation's answer do not have. */
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
    // Names within others come near to anything.
    const near = [...(error.known ?? []), ...names.filter(name => !name.includes('.'))]
    throw unknownColumn(error.selection, columns, names, near)
  }
}

/** Throws `UsageError` for a column that is neither one of these nor what one of them is part of. */
export function refuseColumnsNotAmong(known: readonly string[], columns: readonly string[]): void {
  const isKnown = (column: string) =>
    known.some(name => name === column || name.startsWith(`${column}.`))
  const unknown = columns.find(column => !isKnown(column))
  if (unknown !== undefined) throw unknownColumn(unknown, columns, known)
}

/** `known` are all columns, of which those `near` count where one is misspelt. */
function unknownColumn(
  column: string,
  columns: readonly string[],
  known: readonly string[],
  near = known,
): UsageError {
  const suggested = (name: string) => {
    const isMeant = meanings('fields', name).some(other => known.includes(other))
    return suggestion(
      'fields',
      name,
      isMeant ? known : near,
      '`--columns help` lists what there is.',
    )
  }
  const wrong = columns.filter(name => name !== column && !known.includes(name))
  return new UsageError(
    `--columns names ${shown(column)}, which is not in the records.`,
    suggested(column).hint,
    [],
    [column, ...wrong].flatMap(name => suggested(name).meant),
  )
}

/** The names of the columns that an operation's answer has, those within others as `a.b`. */
export function columnNames(operation: Operation): string[] {
  const names = namesBelow(recordSchema(operation), [], operation.document.schemas)
  return isOfFiles(operation) ? [...names, PATH_COLUMN] : names
}

/** The same of records that are there already. */
export function namesIn(records: readonly Row[]): string[] {
  const names = records.flatMap(record =>
    Object.entries(record).flatMap(([name, value]) => [
      name,
      ...(isObject(value) ? namesIn([value]).map(below => `${name}.${below}`) : []),
    ]),
  )
  return [...new Set(names)]
}

/** The records of a list, else the answer itself. */
function recordSchema(operation: Operation): Schema {
  return resolve(
    listedSchema(operation) ?? responseSchema(operation) ?? {},
    operation.document.schemas,
  )
}

/** `above` are the records on the way, for a record may hold others of its kind. */
function namesBelow(schema: Schema, above: readonly Schema[], schemas: SchemaMap): string[] {
  const {properties = {}} = schema
  return Object.entries(properties).flatMap(([name, property]) => {
    const inner = resolve(property.items ?? property, schemas)
    const isKnown = [...above, schema].some(({id}) => id !== undefined && id === inner.id)
    const below = isKnown ? [] : namesBelow(inner, [...above, schema], schemas)
    return [name, ...below.map(path => `${name}.${path}`)]
  })
}
