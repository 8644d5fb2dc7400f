import {cell} from './cell.js'
import {type Column, cellsOf, listColumns, recordLines} from './columns.js'
import type {OutputFormat, Layout, Row} from './format.js'

/** Rows with tabs and without a header, for a pipe; a single record as names and values. */
export const tsvFormat: OutputFormat = {
  isStructured: false,
  isRows: true,
  record: (record, {columns}) =>
    recordLines(record, columns)
      .map(([name, value]) => `${name}\t${cell(value)}\n`)
      .join(''),
  records: (records, layout) => listRows(layout)(records),
  list: layout => ({rows: listRows(layout)}),
}

function listRows({columns: asked}: Layout): (records: readonly Row[]) => string {
  let columns: readonly Column[] | undefined
  return records => {
    columns ??= records[0] && listColumns(records[0], asked)
    return cellsOf(records, columns)
      .map(row => `${row.join('\t')}\n`)
      .join('')
  }
}
