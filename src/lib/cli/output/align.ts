import {displayWidth, fit, pad, shareWidth} from './width.js'

/**
 * How results and progress look: a file a format, columns, widths and bars. What is shown, and on
 * which stream, the commands say; words for errors belong to `../explain`.
 */

const GAP = '  '

/**
 * The widths of columns, so that it fits into `width` columns of a terminal, if those
 * that may be cut have enough to give.
 */
export function columnWidths(
  rows: ReadonlyArray<readonly string[]>,
  width: number,
  mayCut: (column: number) => boolean = () => true,
): number[] {
  const columns = rows[0]?.length ?? 0
  const needed = Array.from({length: columns}, (_, column) =>
    rows.reduce((most, row) => Math.max(most, displayWidth(row[column] ?? '')), 0),
  )
  return shareWidth(needed, width - GAP.length * (columns - 1), mayCut)
}

/** Rows in aligned columns, a line each. */
export function alignedRows(
  rows: ReadonlyArray<readonly string[]>,
  widths: readonly number[],
): string {
  return rows
    .map(row => {
      const cells = widths.map((space, column) => pad(fit(row[column] ?? '', space), space))
      return `${cells.join(GAP).trimEnd()}\n`
    })
    .join('')
}
