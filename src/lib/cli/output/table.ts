import {alignedRows, columnWidths} from './align.js'
import {cell, shortTime} from './cell.js'
import {type Column, cellsOf, listColumns, recordLines} from './columns.js'
import type {OutputFormat, Layout, Row} from './format.js'
import {displayWidth, fit, pad} from './width.js'

/** For people: aligned columns below a header; a single record as a block of names and values. */
export const tableFormat: OutputFormat = {
  isStructured: false,
  record: recordBlock,
  records: (records, layout) => listRows(layout)(records),
  // As many as a page has decide the widths.
  list: layout => ({pieceSize: 1000, rows: listRows(layout)}),
}

function recordBlock(record: Row, {width, columns}: Layout): string {
  const lines = recordLines(record, columns)
    .map(([name, value]) => [name, cell(value)] as const)
    .filter(([, value]) => value !== '')
  const widest = Math.max(0, ...lines.map(([name]) => displayWidth(name)))
  return lines
    .map(([name, value]) => `${pad(name, widest)}  ${fit(value, width - widest - 2)}\n`)
    .join('')
}

/** The first records decide the columns and their widths, so that all pages are one table. */
function listRows({width, columns: asked}: Layout): (records: readonly Row[]) => string {
  let columns: readonly Column[] | undefined
  let widths: readonly number[] | undefined
  return records => {
    columns ??= records[0] && listColumns(records[0], asked)
    const rows = cellsOf(records, columns).map(row => row.map(shortTime))
    if (!columns || widths) return alignedRows(rows, widths ?? [])
    const all = [columns.map(({title}) => title.toUpperCase()), ...rows]
    widths = columnWidths(all, width, column => !columns?.[column]?.isWhole)
    return alignedRows(all, widths)
  }
}
