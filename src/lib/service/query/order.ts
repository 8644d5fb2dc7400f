import type {knownValues} from '#lib/api/validate.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {invalidValue} from '#lib/service/errors.js'
import type {Value} from '#lib/service/store/database/database.js'
import type {Bind} from './sql.js'

/** What rows are sorted by: an SQL expression that is never NULL. */
export interface SortKey {
  readonly expression: string
  readonly descending: boolean
  /** How the items of one holder can be read in this order; absent where they have to be sorted. */
  readonly index?: OrderIndex
}

/** The order that an index keeps (search-layout.ts). */
export interface OrderIndex {
  readonly name: string
  /** The table that has it: the files themselves, or what their owner did with them. */
  readonly of: 'files' | 'user_files'
  readonly descending: boolean
  /** What is sorted by there, where that is another expression. */
  readonly expression?: string
  /** It has those rows alone that `where` holds for: for others `otherwise` does, and they all have the `usual` value. */
  readonly partial?: {
    readonly where: string
    readonly otherwise: string
    readonly usual: number
    /** The value of all that are in the index. */
    readonly rare?: number
  }
}

/** The sort values of a row, by which the next page starts behind it, whatever came or went since. */
export type Position = readonly (string | number)[]

/** Earlier than any time: something that never happened sorts before all that did. */
export const NEVER = -9e15

/** Folders come first. */
export const IS_NO_FOLDER = `(f.mime_type <> '${FOLDER_TYPE}')`

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
 * The sort keys of `orderBy` (reference: operations.md, files.list), over `files f` and the
 * caller's own `user_files u`. Names of folders and files sort in lower case.
 */
const ORDERS: Readonly<Record<OrderName, Order>> = {
  createdDate: {expression: 'f.created_at', index: filesBy('creation', true)},
  folder: {expression: IS_NO_FOLDER},
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
  // The key of a title holds both orders: see words.ts.
  title: {
    expression: 'substr(f.title_key, instr(f.title_key, char(1)) + 1)',
    index: filesBy('title', false),
  },
  title_natural: {expression: 'f.title_key', index: filesBy('natural_title', false)},
}

/** The newest first (reference: protocols.md, section 6). */
export const DEFAULT_ORDER: readonly SortKey[] = [{...ORDERS.modifiedDate, descending: true}]

/** Reads `title desc,folder`; `undefined` when nothing is asked for. Throws 400 `invalid` at `orderBy`. */
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

/** Files whose title has more of the wanted phrases come first. */
export function relevanceOrder(phrases: readonly string[], bind: Bind): readonly SortKey[] {
  const wanted = bind(JSON.stringify(phrases))
  const hits = `(SELECT count(*) FROM json_each(${wanted}) p WHERE instr(f.title_words, p.value) > 0)`
  return [{expression: hits, descending: true}, ...DEFAULT_ORDER]
}

/** `ORDER BY` of these keys; the item's ID decides where all are equal, unless nobody asks which comes first. */
export function orderSql(keys: readonly SortKey[], id: string | undefined): string {
  const terms = keys.map(({expression, descending}) => `${expression}${descending ? ' DESC' : ''}`)
  return [...terms, ...(id === undefined ? [] : [id])].join(', ')
}

/** The same over the columns of `positionColumns`. */
export function columnOrderSql(keys: readonly SortKey[], table: string): string {
  return orderSql(
    keys.map(({descending}, index) => ({expression: `${table}s${index}`, descending})),
    `${table}id`,
  )
}

/** The columns `s0`, `s1` … that `positionOf` reads. */
export function positionColumns(keys: readonly SortKey[], id: string): string {
  return [...keys.map(({expression}) => expression), id]
    .map((expression, index) => `${expression} AS s${index}`)
    .join(', ')
}

/** Where a row stands in this order. */
export function positionOf(
  keys: readonly SortKey[],
  row: Readonly<Record<string, Value>>,
): Position {
  return [...keys, 'id'].map((_, index) => row[`s${index}`] as string | number)
}

/** A position that came in a token, so that it may be anything: throws 400 at `pageToken`. */
export function readPosition(keys: readonly SortKey[], position: unknown): Position {
  if (!isPosition(position) || position.length !== keys.length + 1) throw invalidValue('pageToken')
  return position
}

/** The condition for rows behind a position. */
export function behind(
  keys: readonly SortKey[],
  position: Position,
  bind: Bind,
  id = 'f.id',
): string {
  const all = [...keys, {expression: id, descending: false}]
  return all.reduceRight((rest, key, index) => {
    const value = bind(position[index]!)
    const further = beyond(key, value)
    return rest === '' ? further : `(${further} OR (${key.expression} = ${value} AND ${rest}))`
  }, '')
}

/** The condition for rows that a key alone puts behind a value. */
export function beyond({expression, descending}: SortKey, value: string): string {
  return `${expression} ${descending ? '<' : '>'} ${value}`
}

function isPosition(value: unknown): value is Position {
  return (
    Array.isArray(value) &&
    value.every(part => typeof part === 'string' || typeof part === 'number')
  )
}
