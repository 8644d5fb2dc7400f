/** How the columns of a table share those of a terminal. Pure. */

/** Blanks between two columns. */
export const GAP = 2

/** What a column that may be cut keeps at least. */
const LEAST = 12

/** The same for a column that was asked for by name. */
const LEAST_ASKED = 8

/** What is known of a column before it has its width. */
export interface Demand {
  /** Columns of the terminal that its widest cell takes; 0 for a column that nothing stands in. */
  readonly needed: number
  /** Never cut: half an ID or half a time is of no use. */
  readonly isWhole: boolean
  /** 0 is what the rows are about; of the others the greatest is left out first. */
  readonly rank: number
}

/**
 * The width of each column, 0 for one that is left out: as many as have room beside the one of rank
 * 0, which has at least half of the terminal but 10, so 30 columns of 80 and 50 of 120.
 */
export function shareByRank(demands: readonly Demand[], width: number): number[] {
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
  // What is still free goes where it is missed, to the first first.
  for (const [column, {needed}] of inOrder) {
    if (widths[column] === 0) continue
    const more = Math.min(left, needed - widths[column]!)
    widths[column]! += more
    left -= more
  }
  return widths
}

/**
 * The width of each column where all are wanted: the widest that may be cut give way first, then
 * what should stay whole; the last are left out (0) only where the gaps alone leave no room.
 */
export function shareAll(demands: readonly Demand[], width: number): number[] {
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
 * The width of each column where all were asked for, none of which is left out: those that may be cut
 * give way, the widest first, down to 8; the others stay whole, even where that makes lines longer
 * than the terminal.
 */
export function keepAll(demands: readonly Demand[], width: number): number[] {
  const available = width - GAP * (demands.length - 1)
  const needed = demands.map(demand => demand.needed)
  return shrink(needed, available, LEAST_ASKED, column => !demands[column]!.isWhole)
}

/** Takes from the widest of those that may be cut, down to `least`, until all fit as far as they can. */
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
