import {printable} from '#lib/platform/sanitize.js'
import {displayWidth, fit, pad} from './width.js'

/** Columns that a row has before its text. */
const CURSOR = 2

/** Lines of cells one below the other; the first cell gives way where a terminal is too narrow. */
export function columns(rows: ReadonlyArray<readonly string[]>, width: number): string[] {
  const safe = rows.map(cells => cells.map(text => printable(text)))
  const widths = (safe[0] ?? []).map((_, at) =>
    Math.max(...safe.map(cells => displayWidth(cells[at]!))),
  )
  const others = widths.slice(1).reduce((sum, one) => sum + one + 2, 0)
  const [first = 0, ...rest] = widths
  const all = [Math.max(10, Math.min(first, width - others - CURSOR - 1)), ...rest]
  return safe.map(cells =>
    cells
      .map((text, at) => pad(fit(text, all[at]!), all[at]!))
      .join('  ')
      .trimEnd(),
  )
}
