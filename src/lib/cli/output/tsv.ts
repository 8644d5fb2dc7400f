import {exact} from '#lib/cli/terminal/cell.js'
import {type Column, listColumns, recordLines} from './columns.js'
import type {Layout, OutputFormat, Row} from './format.js'

/**
 * Rows with tabs and without a header, for a pipe; a single record as names and values. What would
 * end a value or a row is written as `\t`, `\n`, `\r`, and a backslash as `\\`.
 */
export const tsvFormat: OutputFormat = {
  isStructured: false,
  isRows: true,
  record: (record, {columns}) => lines(recordLines(record, columns)),
  records: (records, layout) => listRows(layout)(records),
  list: layout => ({rows: listRows(layout)}),
}

function listRows({columns: asked}: Layout): (records: readonly Row[]) => string {
  let columns: readonly Column[] = []
  return records => {
    if (columns.length === 0 && records[0]) columns = listColumns(records[0], asked)
    return lines(records.map(record => columns.map(({value}) => value(record))))
  }
}

function lines(rows: ReadonlyArray<readonly unknown[]>): string {
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
