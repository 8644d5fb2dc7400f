import type {knownValues} from '#lib/api/validate.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {invalidValue} from '#lib/service/errors.js'
import type {SqlValue} from '#lib/service/store/database/database.js'
import type {Bind} from './sql.js'

/** A sort key: an SQL expression that is never NULL. */
export interface SortKey {
  readonly expression: string
  readonly descending: boolean
  /** The index with the items of one holder in this order; without one, rows must be sorted. */
  readonly index?: OrderIndex
}

/** An index and its order (search-layout.ts). */
export interface OrderIndex {
  readonly name: string
  /** The table: files, or the marks of users on files. */
  readonly of: 'files' | 'user_files'
  readonly descending: boolean
  /** The expression of the index, if it differs from that of the sort key. */
  readonly expression?: string
  /** A partial index contains only rows that match `where`. All other rows match `otherwise` and have the `usual` value. */
  readonly partial?: {
    readonly where: string
    readonly otherwise: string
    readonly usual: number
    /** The value of all rows in the index, if it is the same. */
    readonly rare?: number
  }
}

/** The sort values of a row. The next page starts after them, even if rows were added or removed since. */
export type Position = readonly (string | number)[]

/** A time in Unix ms before any other, for events that never happened. */
export const NEVER = -9e15

/** Sorts folders first. */
export const IS_NOT_FOLDER = `(f.mime_type <> '${FOLDER_TYPE}')`

const filesBy = (name: string, descending: boolean): OrderIndex => ({
  name: `files_held_by_${name}`,
  of: 'files',
  descending,
})
const marksBy = (name: string, more: Partial<OrderIndex> = {}): OrderIndex => ({
  name: `user_files_${name}`,
  of: 'user_files',
  descending: true,
  ...more,
})

type Order = Omit<SortKey, 'descending'>

type OrderName = (typeof knownValues.orderBy)[number]

/**
 * The sort keys of `orderBy` (reference: operations.md, files.list), over `files f` and the caller's
 * `user_files u`. Titles sort in lower case.
 */
const ORDERS: Readonly<Record<OrderName, Order>> = {
  createdDate: {expression: 'f.created_at', index: filesBy('creation', true)},
  folder: {expression: IS_NOT_FOLDER},
  lastViewedByMeDate: {expression: `coalesce(u.viewed_at, ${NEVER})`, index: marksBy('by_view')},
  modifiedByMeDate: {
    expression: `coalesce(u.modified_at, ${NEVER})`,
    index: marksBy('by_modification'),
  },
  modifiedDate: {expression: 'f.modified_at', index: filesBy('modification', true)},
  quotaBytesUsed: {expression: 'f.quota_bytes', index: filesBy('quota', true)},
  recency: {
    expression: 'coalesce(u.recent_at, max(f.created_at, f.modified_at))',
    index: marksBy('by_recency', {expression: 'u.recent_at'}),
  },
  sharedWithMeDate: {
    expression: `coalesce(u.shared_at, ${NEVER})`,
    index: marksBy('shared', {
      expression: 'u.shared_at',
      partial: {where: 'u.shared_at IS NOT NULL', otherwise: 'u.shared_at IS NULL', usual: NEVER},
    }),
  },
  starred: {
    expression: 'coalesce(u.starred, 0)',
    index: marksBy('starred', {
      partial: {where: 'u.starred = 1', otherwise: 'u.starred = 0', usual: 0, rare: 1},
    }),
  },
  // `title_key` contains the keys of both orders: see words.ts.
  title: {
    expression: 'substr(f.title_key, instr(f.title_key, char(1)) + 1)',
    index: filesBy('title', false),
  },
  title_natural: {expression: 'f.title_key', index: filesBy('natural_title', false)},
}

/** Sorts by modified date, newest first (reference: protocols.md, section 6). */
export const DEFAULT_ORDER: readonly SortKey[] = [{...ORDERS.modifiedDate, descending: true}]

/** The sort keys for a text such as `title desc,folder`; `undefined` for empty text. Throws 400 `invalid` at `orderBy`. */
export function parseOrder(orderBy: string | undefined): SortKey[] | undefined {
  if (orderBy === undefined || orderBy.trim() === '') return undefined
  const parts = orderBy.split(',')
  if (parts.length > Object.keys(ORDERS).length) throw invalidValue('orderBy')
  return parts.map(part => {
    const [name = '', direction, ...more] = part.trim().split(/\s+/)
    const known = Object.hasOwn(ORDERS, name) ? ORDERS[name as OrderName] : undefined
    const descending = direction?.toLowerCase() === 'desc'
    if (known === undefined || (direction !== undefined && !descending) || more.length > 0) {
      throw invalidValue('orderBy')
    }
    return {...known, descending}
  })
}

/** Sorts by the number of these phrases in the title, most first. */
export function relevanceOrder(phrases: readonly string[], bind: Bind): readonly SortKey[] {
  const list = bind(JSON.stringify(phrases))
  const hits = `(SELECT count(*) FROM json_each(${list}) p WHERE instr(f.title_words, p.value) > 0)`
  return [{expression: hits, descending: true}, ...DEFAULT_ORDER]
}

/** The `ORDER BY` terms for these keys. `id` breaks ties; without it, the order of ties is undefined. */
export function orderSql(keys: readonly SortKey[], id: string | undefined): string {
  const terms = keys.map(({expression, descending}) => `${expression}${descending ? ' DESC' : ''}`)
  return [...terms, ...(id === undefined ? [] : [id])].join(', ')
}

/** The `ORDER BY` terms over the columns of `positionColumns`. */
export function columnOrderSql(keys: readonly SortKey[], table: string): string {
  return orderSql(
    keys.map(({descending}, index) => ({expression: `${table}s${index}`, descending})),
    `${table}id`,
  )
}

/** The columns `s0`, `s1` … for `positionOf`. */
export function positionColumns(keys: readonly SortKey[], id: string): string {
  return [...keys.map(({expression}) => expression), id]
    .map((expression, index) => `${expression} AS s${index}`)
    .join(', ')
}

/** The position of a row in this order. */
export function positionOf(
  keys: readonly SortKey[],
  row: Readonly<Record<string, SqlValue>>,
): Position {
  return [...keys, 'id'].map((_, index) => row[`s${index}`] as string | number)
}

/** The position in a page token. Throws 400 `invalid` at `pageToken` if it does not match the keys. */
export function readPosition(keys: readonly SortKey[], position: unknown): Position {
  if (!isPosition(position) || position.length !== keys.length + 1) throw invalidValue('pageToken')
  return position
}

/** The condition for rows after a position. */
export function after(
  keys: readonly SortKey[],
  position: Position,
  bind: Bind,
  id = 'f.id',
): string {
  const all = [...keys, {expression: id, descending: false}]
  return all.reduceRight((rest, key, index) => {
    const value = bind(position[index]!)
    const isAfter = keyAfter(key, value)
    return rest === '' ? isAfter : `(${isAfter} OR (${key.expression} = ${value} AND ${rest}))`
  }, '')
}

/** The condition for rows whose key comes after a value. */
export function keyAfter({expression, descending}: SortKey, value: string): string {
  return `${expression} ${descending ? '<' : '>'} ${value}`
}

function isPosition(value: unknown): value is Position {
  return (
    Array.isArray(value) &&
    value.every(part => typeof part === 'string' || typeof part === 'number')
  )
}
