import {FOLDER_TYPE} from '../../api/wire.js'
import {invalidValue} from '../errors.js'
import type {Value} from '../store/database.js'
import type {Bind} from './sql.js'

/** What rows are sorted by: an SQL expression that is never NULL. */
export interface SortKey {
  readonly expression: string
  readonly descending: boolean
}

/** The sort values of a row, by which the next page starts behind it, whatever came or went since. */
export type Position = readonly (string | number)[]

/** Earlier than any time: something that never happened sorts before all that did. */
const NEVER = -9e15

/**
 * The sort keys of `orderBy` (reference: operations.md, files.list), over `files f` and the
 * caller's own `user_files u`. Names of folders and files sort in lower case.
 */
const EXPRESSIONS: Readonly<Record<string, string>> = {
  createdDate: 'f.created_at',
  folder: `(f.mime_type <> '${FOLDER_TYPE}')`,
  lastViewedByMeDate: `coalesce(u.viewed_at, ${NEVER})`,
  modifiedByMeDate: `coalesce(u.modified_at, ${NEVER})`,
  modifiedDate: 'f.modified_at',
  quotaBytesUsed: 'f.quota_bytes',
  recency: `max(f.created_at, f.modified_at, coalesce(u.viewed_at, ${NEVER}), coalesce(u.shared_at, ${NEVER}))`,
  sharedWithMeDate: `coalesce(u.shared_at, ${NEVER})`,
  starred: 'coalesce(u.starred, 0)',
  // The key of a title holds both orders: see words.ts.
  title: 'substr(f.title_key, instr(f.title_key, char(1)) + 1)',
  title_natural: 'f.title_key',
}

/** The newest first (reference: protocols.md, section 6). */
export const DEFAULT_ORDER: readonly SortKey[] = [{expression: 'f.modified_at', descending: true}]

/** Reads `title desc,folder`; `undefined` when nothing is asked for. Throws 400 `invalid` at `orderBy`. */
export function parseOrder(orderBy: string | undefined): SortKey[] | undefined {
  if (orderBy === undefined || orderBy.trim() === '') return undefined
  const parts = orderBy.split(',')
  if (parts.length > Object.keys(EXPRESSIONS).length) throw invalidValue('orderBy')
  return parts.map(part => {
    const [name = '', direction, ...more] = part.trim().split(/\s+/)
    const known = Object.hasOwn(EXPRESSIONS, name) ? EXPRESSIONS[name] : undefined
    const descending = direction?.toLowerCase() === 'desc'
    if (known === undefined || (direction !== undefined && !descending) || more.length > 0) {
      throw invalidValue('orderBy')
    }
    return {expression: known, descending}
  })
}

/** Files whose title has more of the wanted phrases come first. */
export function relevanceOrder(phrases: readonly string[], bind: Bind): readonly SortKey[] {
  const wanted = bind(JSON.stringify(phrases))
  const hits = `(SELECT count(*) FROM json_each(${wanted}) p WHERE instr(f.title_words, p.value) > 0)`
  return [{expression: hits, descending: true}, ...DEFAULT_ORDER]
}

/** `ORDER BY` of these keys; the item's ID decides where all are equal. */
export function orderSql(keys: readonly SortKey[], id = 'f.id'): string {
  const terms = keys.map(({expression, descending}) => `${expression}${descending ? ' DESC' : ''}`)
  return [...terms, id].join(', ')
}

/** The same over the columns of `positionColumns`. */
export function columnOrderSql(keys: readonly SortKey[], table = ''): string {
  return orderSql(
    keys.map(({descending}, index) => ({expression: `${table}s${index}`, descending})),
    `${table}id`,
  )
}

/** The columns `s0`, `s1` … that `positionOf` reads. */
export function positionColumns(keys: readonly SortKey[]): string {
  return withId(keys)
    .map(({expression}, index) => `${expression} AS s${index}`)
    .join(', ')
}

/** Where a row stands in this order. */
export function positionOf(
  keys: readonly SortKey[],
  row: Readonly<Record<string, Value>>,
): Position {
  return withId(keys).map((_, index) => row[`s${index}`] as string | number)
}

/** The condition for rows behind a position. It comes from a token, so it may be anything: throws 400 at `pageToken`. */
export function behind(keys: readonly SortKey[], position: unknown, bind: Bind): string {
  const all = withId(keys)
  if (!isPosition(position) || position.length !== all.length) throw invalidValue('pageToken')
  const rows = all.reduceRight((rest, {expression, descending}, index) => {
    const value = bind(position[index]!)
    const further = `${expression} ${descending ? '<' : '>'} ${value}`
    return rest === 'FALSE' ? further : `(${further} OR (${expression} = ${value} AND ${rest}))`
  }, 'FALSE')
  // Says nothing new, but is what an index can start from.
  const [{expression, descending}] = all as [SortKey]
  return `${expression} ${descending ? '<=' : '>='} ${bind(position[0]!)} AND ${rows}`
}

function withId(keys: readonly SortKey[]): readonly SortKey[] {
  return [...keys, {expression: 'f.id', descending: false}]
}

function isPosition(value: unknown): value is Position {
  return (
    Array.isArray(value) &&
    value.every(part => typeof part === 'string' || typeof part === 'number')
  )
}
