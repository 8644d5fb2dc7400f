import {GAP, shareAll} from './share.js'
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
export type Paint = (text: string, column: number) => string

const BETWEEN = ' '.repeat(GAP)

/** The columns of the terminal that each column of some rows needs. */
export function neededWidths(rows: ReadonlyArray<readonly string[]>): number[] {
  return (rows[0] ?? []).map((_, column) =>
    rows.reduce((most, row) => Math.max(most, displayWidth(row[column] ?? '')), 0),
  )
}

/** One row as a line, cut where it must be. */
export function alignedRow(
  row: readonly string[],
  alignments: readonly Alignment[],
  paint: Paint = text => text,
): string {
  const cells = alignments.flatMap(({width, isRight}, column) => {
    if (width === 0) return []
    const text = isolated(fit(row[column] ?? '', width))
    const painted = text === '' ? '' : paint(text, column)
    return [pad(painted, width, isRight ? 'before' : 'behind')]
  })
  return `${cells.join(BETWEEN).trimEnd()}\n`
}

/** Rows in aligned columns, a line each, that fit into `width` columns of a terminal. */
export function alignedRows(rows: ReadonlyArray<readonly string[]>, width: number): string {
  const demands = neededWidths(rows).map(needed => ({needed, isWhole: false, rank: 0}))
  const alignments = shareAll(demands, width).map(share => ({width: share}))
  return rows.map(row => alignedRow(row, alignments)).join('')
}
