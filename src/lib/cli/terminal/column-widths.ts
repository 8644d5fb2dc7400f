/** Divides the width of a terminal among the columns of a table. Pure. */

/** Spaces between two columns. */
export const GAP = 2

/** The minimum width of a column that can be cut. */
const LEAST = 12

/** The minimum width of a column that `--columns` names. */
const LEAST_ASKED = 8

/** The requirements of a column. */
export interface WidthDemand {
  /** The width of its widest cell, in terminal columns; 0 for an empty column. */
  readonly needed: number
  /** Never cut: part of an ID or a time is useless. */
  readonly isWhole: boolean
  /** The main column has 0; the column with the highest rank is omitted first. */
  readonly rank: number
}

/**
 * The width of each column, 0 if omitted. The column of rank 0 gets at least half of the terminal minus
 * 10 (30 of 80, 50 of 120); the others are shown if they fit.
 */
export function shareByRank(demands: readonly WidthDemand[], width: number): number[] {
  const widths = demands.map(() => 0)
  let left = width + GAP
  const inOrder = [...demands.entries()].sort(([, a], [, b]) => a.rank - b.rank)
  for (const [column, {needed, isWhole, rank}] of inOrder) {
    const first = Math.min(needed, Math.max(16, Math.floor(width / 2) - 10), width)
    const least = rank === 0 ? first : isWhole ? needed : Math.min(needed, LEAST)
    if (least === 0 || least + GAP > left) continue
    widths[column] = least
    left -= least + GAP
  }
  // Give the remaining width to the columns that need it, in order of rank.
  for (const [column, {needed}] of inOrder) {
    if (widths[column] === 0) continue
    const more = Math.min(left, needed - widths[column]!)
    widths[column]! += more
    left -= more
  }
  return widths
}

/**
 * The width of each column if all are shown. Cuts the widest columns first, then those that should stay
 * whole; omits the last ones (0) only if the gaps alone fill the terminal.
 */
export function shareAll(demands: readonly WidthDemand[], width: number): number[] {
  const most = Math.floor((width + GAP) / (1 + GAP))
  const kept = demands.slice(0, Math.max(1, most))
  const available = width - GAP * (kept.length - 1)
  const needed = kept.map(demand => Math.min(demand.needed, available))
  const cut = shrink(needed, available, LEAST, column => !kept[column]!.isWhole)
  const rest = shrink(cut, available, 1, column => !kept[column]!.isWhole)
  const widths = shrink(rest, available, 1, () => true)
  return demands.map((_, column) => widths[column] ?? 0)
}

/**
 * The width of each column that `--columns` names; omits none. Cuts the widest columns first, down to 8;
 * columns that stay whole can make lines longer than the terminal.
 */
export function keepAll(demands: readonly WidthDemand[], width: number): number[] {
  const available = width - GAP * (demands.length - 1)
  const needed = demands.map(demand => demand.needed)
  return shrink(needed, available, LEAST_ASKED, column => !demands[column]!.isWhole)
}

/** Narrows the widest columns that can be cut, down to `least`, until all fit or none is left. */
function shrink(
  needed: readonly number[],
  available: number,
  least: number,
  mayCut: (column: number) => boolean,
): number[] {
  const widths = [...needed]
  const total = widths.reduce((sum, width) => sum + width, 0)
  for (let excess = total - available; excess > 0; excess--) {
    let widest = -1
    for (const [column, width] of widths.entries()) {
      if (width > least && mayCut(column) && width > (widths[widest] ?? 0)) widest = column
    }
    if (widest < 0) break
    widths[widest]!--
  }
  return widths
}
