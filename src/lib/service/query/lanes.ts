import type {Held} from './corpus.js'
import {
  behind,
  beyond,
  IS_NO_FOLDER,
  type OrderIndex,
  type Position,
  type SortKey,
} from './order.js'
import type {Bind} from './sql.js'

/** Rows that one `SELECT` reads, in the order of the list. */
export interface Lane {
  readonly from: string
  readonly where: string
  /** The ID of an item there. */
  readonly id: string
  /** The keys of the list, as they are read there. */
  readonly keys: readonly SortKey[]
  /** The first key is this for all rows. */
  readonly fixed?: number | undefined
  /** What keeps the rows in the order of the first key that is not fixed. */
  readonly index?: OrderIndex
}

/** The part of a lane that a page can be in. */
export interface Slice {
  readonly where: string
  /** The keys by which it has to be sorted: those before are the same for all rows. */
  readonly keys: readonly SortKey[]
}

const MARKS = 'LEFT JOIN user_files u ON u.file_id = f.id AND u.user_id = :userId'

/** A lane of the items that a query for IDs names, which have to be sorted. */
export function laneAmong(items: string, where: string, keys: readonly SortKey[]): Lane {
  return {
    from: `(SELECT DISTINCT id FROM (${items})) c CROSS JOIN files f ON f.id = c.id ${MARKS}`,
    where,
    id: 'f.id',
    keys,
  }
}

/** The condition for what a holder has. */
export function whereHeld({holder, where}: Held): string {
  return `coalesce(f.drive_id, f.owner_id) = ${holder} AND ${where}`
}

/** The lanes of what a holder has: in the order of an index where there is one. */
export function lanesOf(held: Held, keys: readonly SortKey[]): readonly Lane[] {
  const {isOwn, where} = held
  const isHeld = whereHeld(held)
  const byFolder = keys[0]?.expression === IS_NO_FOLDER
  const lead = byFolder ? keys[1] : keys[0]
  const index = lead?.index ?? (lead ? undefined : BY_ID)
  if (index?.of === 'files') {
    return [0, 1].map(side => ({
      from: `files f INDEXED BY ${index.name} ${MARKS}`,
      where: `${isHeld} AND ${IS_NO_FOLDER} = ${side}`,
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

/** Keeps the order of folders and files alone. */
const BY_ID: OrderIndex = {name: 'files_held_by_id', of: 'files', descending: false}

/** What of a lane is behind a position: what is equal to it in the first key, and what follows on that. */
export function slicesBehind(lane: Lane, position: Position | null, bind: Bind): readonly Slice[] {
  const {id, fixed} = lane
  const keys = fixed === undefined ? lane.keys : lane.keys.slice(1)
  const all: Slice = {where: 'TRUE', keys}
  if (position === null) return [all]
  if (!lane.index && fixed === undefined) return [{where: behind(keys, position, bind, id), keys}]
  let values = position
  if (fixed !== undefined) {
    const [first] = position
    if (first !== fixed) return isBehind(fixed, first!, lane.keys[0]!) ? [all] : []
    values = position.slice(1)
  }
  const [key, ...rest] = keys
  if (!key) return [{where: behind([], values, bind, id), keys}]
  const value = bind(values[0]!)
  return [
    {
      where: `${key.expression} = ${value} AND ${behind(rest, values.slice(1), bind, id)}`,
      keys: rest,
    },
    {where: beyond(key, value), keys},
  ]
}

/**
 * A slice that an index has in the opposite order, but for rows that are equal there. Where `edge`
 * is the value of the last row that is wanted, all before it are wanted, and the rest in order of ID.
 */
export function slicesToEdge({where, keys}: Slice, edge: string): readonly Slice[] {
  const [key, ...rest] = keys as [SortKey, ...SortKey[]]
  const before = beyond({...key, descending: !key.descending}, edge)
  return [
    {where: `${where} AND ${before}`, keys},
    {where: `${where} AND ${key.expression} = ${edge}`, keys: rest},
  ]
}

/** Whether an index has a slice in the opposite order. */
export function isOpposite({index, keys, fixed}: Lane, slice: Slice): boolean {
  const lead = keys[fixed === undefined ? 0 : 1]
  return (
    index !== undefined &&
    lead !== undefined &&
    slice.keys[0] === lead &&
    lead.descending !== index.descending
  )
}

function isBehind(value: number, position: string | number, {descending}: SortKey): boolean {
  return descending ? value < Number(position) : value > Number(position)
}
