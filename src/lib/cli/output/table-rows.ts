import CliTable from 'cli-table3'
import {colorize, type Tone} from '#lib/cli/terminal/color.js'
import {GAP, keepAll, shareAll, shareByRank} from '#lib/cli/terminal/column-widths.js'
import {neededWidths} from '#lib/cli/terminal/layout.js'
import {displayWidth, fit, isolated, pad} from '#lib/cli/terminal/width.js'
import {type Column, showsAll, tableColumns} from './columns.js'
import type {Layout, Row} from './format.js'

/** The first records decide columns and widths for all pages. */
export function tableRows(layout: Layout): (records: readonly Row[]) => string {
  let decided: Decided | undefined
  return records => {
    if (!records[0]) return ''
    const isFirst = decided === undefined
    decided ??= decide(records, records[0], layout)
    const {columns, widths} = decided
    const lines = records.map(record => {
      const tones = columns.map(({tone}) => (layout.color ? tone(record) : undefined))
      return tableLine(cellsOf(record, columns), decided!, tones)
    })
    if (!isFirst) return lines.join('')
    const titles = columns.map(({title}) => title.toUpperCase())
    const tones = widths.map(() => (layout.color ? ('header' as const) : undefined))
    return [tableLine(titles, decided, tones), ...lines].join('')
  }
}

interface Decided {
  readonly columns: readonly Column[]
  /** Widths in terminal columns; 0 omits a column. */
  readonly widths: readonly number[]
}

function decide(records: readonly Row[], first: Row, layout: Layout): Decided {
  const {width, columns: asked, name} = layout
  const columns = tableColumns(first, {asked: name === undefined ? asked : undefined, name})
  const isAsked = name === undefined ? asked !== undefined : showsAll(name)
  const needed = neededWidths(records.map(record => cellsOf(record, columns)))
  const isRanked = columns.some(({rank}) => rank > 0)
  const demands = columns.map(({title, isWhole = false, rank}, column) => ({
    isWhole,
    rank,
    // An empty column is omitted.
    needed:
      !isAsked && rank > 0 && needed[column] === 0
        ? 0
        : Math.max(displayWidth(title), needed[column]!),
  }))
  const share = isAsked ? keepAll : isRanked ? shareByRank : shareAll
  return {columns, widths: share(demands, width)}
}

function cellsOf(record: Row, columns: readonly Column[]): string[] {
  return columns.map(({text}) => text(record))
}

const BORDERS = [
  ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left'],
  ...['bottom-right', 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'],
] as const

const PLAIN = {
  chars: {...Object.fromEntries(BORDERS.map(name => [name, ''])), middle: ' '.repeat(GAP)},
  style: {'padding-left': 0, 'padding-right': 0, head: [], border: []},
}

/**
 * Formats a row as one line, with cut cells. Each row is its own table, because the package measures some
 * characters differently from `displayWidth` and would misalign a table of several rows.
 */
function tableLine(
  cells: readonly string[],
  {columns, widths}: Decided,
  tones: ReadonlyArray<Tone | undefined>,
): string {
  const table = new CliTable(PLAIN)
  table.push(
    widths.flatMap((width, at) => {
      if (width === 0) return []
      const text = colorize(isolated(fit(cells[at]!, width)), tones[at])
      return [pad(text, width, columns[at]!.isRight ? 'before' : 'behind')]
    }),
  )
  return `${table.toString().trimEnd()}\n`
}
