import type {HolderItems} from './corpus.js'
import {
  after,
  IS_NOT_FOLDER,
  keyAfter,
  type OrderIndex,
  type Position,
  type SortKey,
} from './order.js'
import type {Bind} from './sql.js'

/** Part of a list: rows that one `SELECT` can read in the order of the list. */
export interface Lane {
  readonly from: string
  readonly where: string
  /** The SQL expression for the ID of an item. */
  readonly id: string
  /** The sort keys of the list, as expressions of this `SELECT`. */
  readonly keys: readonly SortKey[]
  /** The value of the first key if it is the same for all rows. */
  readonly fixed?: number | undefined
  /** The index that is sorted by the first key that is not fixed. */
  readonly index?: OrderIndex
}

/** Part of a lane that can contain rows of a page. */
export interface Slice {
  readonly where: string
  /** The keys to sort by. All rows have the same values for the keys before them. */
  readonly keys: readonly SortKey[]
}

const MARKS = 'LEFT JOIN user_files u ON u.file_id = f.id AND u.user_id = :userId'

/** A lane for the items of a query for IDs. It has no index, so its rows must be sorted. */
export function laneAmong(items: string, where: string, keys: readonly SortKey[]): Lane {
  return {
    from: `(SELECT DISTINCT id FROM (${items})) c CROSS JOIN files f ON f.id = c.id ${MARKS}`,
    where,
    id: 'f.id',
    keys,
  }
}

/** The condition for the items of a holder. */
export function whereHeld({holder, where}: HolderItems): string {
  return `coalesce(f.drive_id, f.owner_id) = ${holder} AND ${where}`
}

/** The lanes for the items of a holder, with an index if one has the order of the list. */
export function lanesOf(held: HolderItems, keys: readonly SortKey[]): readonly Lane[] {
  const {isOwn, where} = held
  const isHeld = whereHeld(held)
  const byFolder = keys[0]?.expression === IS_NOT_FOLDER
  const lead = byFolder ? keys[1] : keys[0]
  const index = lead?.index ?? (lead ? undefined : BY_ID)
  if (index?.of === 'files') {
    return [0, 1].map(side => ({
      from: `files f INDEXED BY ${index.name} ${MARKS}`,
      where: `${isHeld} AND ${IS_NOT_FOLDER} = ${side}`,
      id: 'f.id',
      keys,
      index,
      ...(byFolder && {fixed: side}),
    }))
  }
  if (index && isOwn && !byFolder) {
    const {partial, expression, name} = index
    const own = {
      where: `u.user_id = :userId AND +f.owner_id = :userId AND ${where}`,
      id: 'u.file_id',
    }
    const from = (by: string) => `user_files u ${by} CROSS JOIN files f ON f.id = u.file_id`
    const [first, ...rest] = keys as [SortKey, ...SortKey[]]
    const indexed = {
      ...own,
      from: from(`INDEXED BY ${name}`),
      keys: [{...first, expression: expression ?? first.expression}, ...rest],
      index,
    }
    if (!partial) return [indexed]
    return [
      {...indexed, where: `${own.where} AND ${partial.where}`, fixed: partial.rare},
      {
        ...own,
        from: from(''),
        where: `${own.where} AND ${partial.otherwise}`,
        keys: [{...first, expression: `${partial.usual}`}, ...rest],
        fixed: partial.usual,
      },
    ]
  }
  return [{from: `files f ${MARKS}`, where: isHeld, id: 'f.id', keys}]
}

/** The index for lists whose only key is `folder`. */
const BY_ID: OrderIndex = {name: 'files_held_by_id', of: 'files', descending: false}

/** The slices of a lane after a position: rows with the same first key, and rows whose first key comes later. */
export function slicesAfter(lane: Lane, position: Position | null, bind: Bind): readonly Slice[] {
  const {id, fixed} = lane
  const keys = fixed === undefined ? lane.keys : lane.keys.slice(1)
  const all: Slice = {where: 'TRUE', keys}
  if (position === null) return [all]
  if (!lane.index && fixed === undefined) return [{where: after(keys, position, bind, id), keys}]
  let values = position
  if (fixed !== undefined) {
    const [first] = position
    if (first !== fixed) return isAfter(fixed, first!, lane.keys[0]!) ? [all] : []
    values = position.slice(1)
  }
  const [key, ...rest] = keys
  if (!key) return [{where: after([], values, bind, id), keys}]
  const value = bind(values[0]!)
  return [
    {
      where: `${key.expression} = ${value} AND ${after(rest, values.slice(1), bind, id)}`,
      keys: rest,
    },
    {where: keyAfter(key, value), keys},
  ]
}

/**
 * Splits a slice whose index has the opposite order. `edge` is the key value of the last row of the
 * page: the page contains all rows before it, and rows with this value in the order of their IDs.
 */
export function slicesToEdge({where, keys}: Slice, edge: string): readonly Slice[] {
  const [key, ...rest] = keys as [SortKey, ...SortKey[]]
  const before = keyAfter({...key, descending: !key.descending}, edge)
  return [
    {where: `${where} AND ${before}`, keys},
    {where: `${where} AND ${key.expression} = ${edge}`, keys: rest},
  ]
}

/** Whether the index of a lane has the opposite order of the slice. */
export function isOpposite({index, keys, fixed}: Lane, slice: Slice): boolean {
  const lead = keys[fixed === undefined ? 0 : 1]
  return (
    index !== undefined &&
    lead !== undefined &&
    slice.keys[0] === lead &&
    lead.descending !== index.descending
  )
}

function isAfter(value: number, position: string | number, {descending}: SortKey): boolean {
  return descending ? value < Number(position) : value > Number(position)
}
