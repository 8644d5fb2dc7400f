import {exact} from '#lib/cli/terminal/cell.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {breaksLine, printable} from '#lib/platform/sanitize.js'
import {firstValue, reach, recordLines, rowPaths} from './columns.js'
import type {Layout, OutputFormat, Row} from './format.js'
import type {Path} from './kind-columns.js'

/**
 * What stands in quotes besides values with a quote or a comma: controls such as each half of a row's
 * end, since readers take either for a whole one, and outer blanks, which some readers drop.
 */
const QUOTED = /[\p{Cc}\u2028\u2029]|^\s|\s$/u

/** CSV (RFC 4180): a header with the fields' own names, then a row a record, each ended by CR LF. */
export const csvFormat: OutputFormat = {
  isStructured: false,
  record: (record, layout) => csvRows(layout)([record]),
  records: (records, layout) => csvRows(layout)(records),
  list: layout => ({rows: csvRows(layout)}),
}

/** The first record decides the columns, so that all pages are one table. */
function csvRows({columns: asked}: Layout): (records: readonly Row[]) => Promise<string> {
  let columns: string[] | undefined
  return async records => {
    const {stringify} = await import('csv-stringify/sync')
    const header = columns === undefined
    if (asked || records[0]) columns ??= [...(asked ?? rowPaths(records[0]!).flat())]
    if (!columns) return ''
    const paths = columns
    const rows = records.map(record => paths.map(path => exact(reach(record, path))))
    return stringify(rows, {
      columns,
      header,
      record_delimiter: 'windows',
      // An empty line would be no record: a single value that is empty stands in quotes.
      quoted_empty: columns.length === 1,
      quoted_match: QUOTED,
    })
  }
}

/**
 * Rows with tabs and without a header, for a pipe; a single record as names and values. What would
 * end a value or a row is written as `\t`, `\n`, `\r`, and a backslash as `\\`.
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
  return exact(value).replace(/[\t\n\r\\]/g, char => ESCAPES[char]!)
}

/** What names a record: the first of these that it has. */
const NAMES = ['id', 'ids', 'key', 'fileId', 'driveId', 'client_id', 'login', 'profile'] as const

/**
 * What names each record, a line each: its ID, and where it has none its key or the like. One value is
 * one line: what reads it must never take a part of a name for another thing.
 */
export const idsFormat: OutputFormat = {
  isStructured: false,
  fields: NAMES,
  record: (record, layout) => idLines([record], layout),
  records: idLines,
  list: layout => ({rows: records => idLines(records, layout)}),
}

/** The first of some fields that a record has, or each column that is asked for, ended by NUL, which no name has. */
export function nullFormat(fields: readonly string[] = NAMES): OutputFormat {
  const rows = (records: readonly Row[], {columns}: Layout) =>
    records
      .flatMap(record => {
        if (!columns) return valuesOf(record, fields)
        return columns.map(path => exact(reach(record, path)))
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

/** Throws `UsageError` for a record that nothing names, or whose name is no single line. */
function namesOf(record: Row, asked: readonly string[] = NAMES): string[] {
  return valuesOf(record, asked).map(lineOf)
}

/** What names a record. Throws `UsageError` where nothing does. */
function valuesOf(record: Row, asked: readonly string[]): string[] {
  const value = asked.map(path => reach(record, path)).find(found => exact(found) !== '')
  if (value === undefined) {
    throw new UsageError(
      'What came has no ID to write with --format ids.',
      'Another --format shows it; --columns names what to write instead of an ID.',
    )
  }
  return [value].flat().map(exact)
}

function lineOf(text: string): string {
  if (!breaksLine(text)) return `${text}\n`
  throw new UsageError(
    `"${printable(text, 80)}" contains a line break, so --format ids cannot write it as one line.`,
    'Pass -0 to end each with NUL, or use --format ndjson: `drv ... -` reads both.',
  )
}
