import CliTable from 'cli-table3'
import {GAP, shareAll} from './column-widths.js'
import {displayWidth, fit, isolated, pad} from './width.js'

/**
 * How results and progress look: a file a format, columns, widths and bars. What is shown, and on
 * which stream, the commands say; words for errors belong to `../explain`.
 */

/** How a column stands beside the others. */
export interface Alignment {
  /** Columns of the terminal; 0 leaves it out. */
  readonly width: number
  /** Numbers are compared at their right ends. */
  readonly isRight?: boolean
}

/** Puts an escape sequence around a cell, or leaves it as it is. */
export type Paint = (text: string, column: number, row: number) => string

const BORDERS = [
  ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left'],
  ...['bottom-right', 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'],
] as const

const PLAIN = {
  chars: {...Object.fromEntries(BORDERS.map(name => [name, ''])), middle: ' '.repeat(GAP)},
  style: {'padding-left': 0, 'padding-right': 0, head: [], border: []},
}

/** The columns of the terminal that each column of some rows needs. */
export function neededWidths(rows: ReadonlyArray<readonly string[]>): number[] {
  return (rows[0] ?? []).map((_, column) =>
    rows.reduce((most, row) => Math.max(most, displayWidth(row[column] ?? '')), 0),
  )
}

/** Rows as lines, cut where they must be; `paint` gets the number of the row and of the column. */
export function alignedRows(
  rows: ReadonlyArray<readonly string[]>,
  alignments: readonly Alignment[],
  paint: Paint = text => text,
): string {
  const lines = rows.map((row, at) => {
    const cells = alignments.flatMap(({width, isRight}, column) => {
      if (width === 0) return []
      const text = isolated(fit(row[column] ?? '', width))
      const painted = text === '' ? '' : paint(text, column, at)
      return [pad(painted, width, isRight ? 'before' : 'behind')]
    })
    // A table for each row of cells that are padded already: the package measures some signs otherwise
    // than `displayWidth`, and would move the columns of a table of several rows.
    const table = new CliTable(PLAIN)
    table.push(cells)
    return `${table.toString().trimEnd()}\n`
  })
  return lines.join('')
}

/** Rows as lines whose columns share `width` columns of a terminal. */
export function sharedRows(rows: ReadonlyArray<readonly string[]>, width: number): string {
  const demands = neededWidths(rows).map(needed => ({needed, isWhole: false, rank: 0}))
  return alignedRows(
    rows,
    shareAll(demands, width).map(share => ({width: share})),
  )
}
