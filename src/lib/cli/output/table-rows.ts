import {alignedRows, type Alignment, neededWidths} from '#lib/cli/terminal/align.js'
import {toned} from '#lib/cli/terminal/color.js'
import {shareAll, shareByRank, withoutRoom} from '#lib/cli/terminal/column-widths.js'
import {displayWidth} from '#lib/cli/terminal/width.js'
import type {Layout, Row} from './format.js'
import {type TableColumn, tableColumns} from './table-columns.js'

/** The first records decide the columns and their widths, so that all pages are one table. */
export function tableRows(layout: Layout): (records: readonly Row[]) => string {
  let decided: Decided | undefined
  return records => {
    if (!records[0]) return ''
    const isFirst = decided === undefined
    const {columns, alignments} = (decided ??= decide(records, records[0], layout))
    const titles = isFirst ? [titlesOf(columns)] : []
    const rows = [...titles, ...records.map(record => cellsOf(record, columns))]
    return alignedRows(rows, alignments, (text, column, row) => {
      if (!layout.color) return text
      const record = records[row - titles.length]
      return toned(text, record ? columns[column]?.tone?.(record) : 'header')
    })
  }
}

interface Decided {
  readonly columns: readonly TableColumn[]
  readonly alignments: readonly Alignment[]
}

function decide(records: readonly Row[], first: Row, layout: Layout): Decided {
  const {width, columns: asked, name} = layout
  const columns = tableColumns(first, {asked: name === undefined ? asked : undefined, name})
  const needed = neededWidths(records.map(record => cellsOf(record, columns)))
  const isRanked = columns.some(({rank}) => rank > 0)
  const demands = columns.map(({title, isWhole = false, rank}, column) => ({
    isWhole,
    rank,
    // A column in which nothing stands is in the way of others.
    needed: rank > 0 && needed[column] === 0 ? 0 : Math.max(displayWidth(title), needed[column]!),
  }))
  const widths = isRanked ? shareByRank(demands, width) : shareAll(demands, width)
  const lacking = isRanked ? [] : withoutRoom(demands, widths)
  if (lacking.length > 0) layout.onNoRoom?.(lacking.map(column => columns[column]!.title))
  const alignments = columns.map(({isRight}, column) => ({width: widths[column]!, isRight}))
  return {columns, alignments}
}

function titlesOf(columns: readonly TableColumn[]): string[] {
  return columns.map(({title}) => title.toUpperCase())
}

function cellsOf(record: Row, columns: readonly TableColumn[]): string[] {
  return columns.map(({text}) => text(record))
}
