import {exactCell} from '#lib/cli/terminal/cell.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {breaksLine, printable} from '#lib/platform/sanitize.js'
import {firstValue, recordLines, rowPaths, valueAt} from './columns.js'
import type {Layout, OutputFormat, Row} from './format.js'
import type {Path} from './table-column.js'

/**
 * Values that need quotes besides those with a quote or comma: control characters (readers take CR or LF
 * alone as the end of a row) and outer spaces, which some readers drop.
 */
const QUOTED = /[\p{Cc}\u2028\u2029]|^\s|\s$/u

/** CSV (RFC 4180): a header with field names, then one row per record, each ending with CR LF. */
export const csvFormat: OutputFormat = {
  isStructured: false,
  record: (record, layout) => csvRows(layout)([record]),
  records: (records, layout) => csvRows(layout)(records),
  list: layout => ({rows: csvRows(layout)}),
}

/** The first record decides the columns of all pages. */
function csvRows({columns: asked}: Layout): (records: readonly Row[]) => Promise<string> {
  let columns: string[] | undefined
  return async records => {
    const {stringify} = await import('csv-stringify/sync')
    const header = columns === undefined
    if (asked || records[0]) columns ??= [...(asked ?? rowPaths(records[0]!).flat())]
    if (!columns) return ''
    const paths = columns
    const rows = records.map(record => paths.map(path => exactCell(valueAt(record, path))))
    return stringify(rows, {
      columns,
      header,
      record_delimiter: 'windows',
      // Readers skip empty lines, so a single empty value needs quotes.
      quoted_empty: columns.length === 1,
      quoted_match: QUOTED,
    })
  }
}

/**
 * Tab-separated rows without a header, for pipes; a single record as names and values. Tabs, line breaks
 * and backslashes in values are written as `\t`, `\n`, `\r` and `\\`.
 */
export const tsvFormat: OutputFormat = {
  isStructured: false,
  isRows: true,
  record: (record, {columns}) => tsvLines(recordLines(record, columns)),
  records: (records, layout) => tsvRows(layout)(records),
  list: layout => ({rows: tsvRows(layout)}),
}

function tsvRows({columns: asked}: Layout): (records: readonly Row[]) => string {
  let paths = asked as readonly Path[] | undefined
  return records => {
    if (records[0]) paths ??= rowPaths(records[0])
    return tsvLines(records.map(record => (paths ?? []).map(path => firstValue(record, path))))
  }
}

function tsvLines(rows: ReadonlyArray<readonly unknown[]>): string {
  return rows.map(row => `${row.map(field).join('\t')}\n`).join('')
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\\': '\\\\',
}

function field(value: unknown): string {
  return exactCell(value).replace(/[\t\n\r\\]/g, char => ESCAPES[char]!)
}

/** The identifying fields; a record is named by the first that it has. */
const NAMES = ['id', 'ids', 'key', 'fileId', 'driveId', 'client_id', 'login', 'profile'] as const

/**
 * One identifier per line: the ID of a record, or its key if it has no ID. Refuses values with line breaks,
 * because readers would take their parts for separate names.
 */
export const idsFormat: OutputFormat = {
  isStructured: false,
  fields: NAMES,
  record: (record, layout) => idLines([record], layout),
  records: idLines,
  list: layout => ({rows: records => idLines(records, layout)}),
}

/** Prints the first existing field of each record, or the requested columns, ending with NUL. */
export function nullFormat(fields: readonly string[] = NAMES): OutputFormat {
  const rows = (records: readonly Row[], {columns}: Layout) =>
    records
      .flatMap(record => {
        if (!columns) return valuesOf(record, fields)
        return columns.map(path => exactCell(valueAt(record, path)))
      })
      .map(value => `${value}\0`)
      .join('')
  return {
    isStructured: false,
    fields,
    record: (record, layout) => rows([record], layout),
    records: rows,
    list: layout => ({rows: records => rows(records, layout)}),
  }
}

function idLines(records: readonly Row[], {columns: asked}: Layout): string {
  return records.flatMap(record => namesOf(record, asked)).join('')
}

/** The lines of a record. Throws `UsageError` without an identifier, or if it has a line break. */
function namesOf(record: Row, asked: readonly string[] = NAMES): string[] {
  return valuesOf(record, asked).map(lineOf)
}

/** The identifiers of a record. Throws `UsageError` if it has none. */
function valuesOf(record: Row, asked: readonly string[]): string[] {
  const value = asked.map(path => valueAt(record, path)).find(found => exactCell(found) !== '')
  if (value === undefined) {
    throw new UsageError(
      'Cannot print IDs: the result has no ID.',
      'Use another --format, or choose a column with --columns.',
    )
  }
  return [value].flat().map(exactCell)
}

function lineOf(text: string): string {
  if (!breaksLine(text)) return `${text}\n`
  throw new UsageError(
    `"${printable(text, 80)}" contains a line break, so --format ids cannot write it as one line.`,
    'Use --format ndjson, or pass -0 to this command and to the one that reads its output.',
  )
}
