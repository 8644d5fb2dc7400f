import {parseQuery} from '#lib/api/query/parse.js'
import {
  type Literal,
  type Operator,
  type Pairs,
  type Query,
  QueryError,
} from '#lib/api/query/query.js'
import {invalidValue} from '#lib/service/errors.js'
import type {Parameters, SqlValue} from '#lib/service/store/database/database.js'

/** Adds a value to the parameters of a statement and returns its placeholder, such as `:v3`. */
export type Bind = (value: SqlValue) => string

/** A condition that is never true. Not `FALSE`: SQLite then drops the conditions beside it and no longer uses their indexes. */
export const NOTHING = '1 = 0'

/** Collects the parameters of a statement: every `bind` adds one to `parameters`. */
export function binder(known: Parameters = {}): {
  readonly bind: Bind
  readonly parameters: Parameters
} {
  const parameters: Record<string, SqlValue> = {...known}
  let count = 0
  const bind: Bind = value => {
    const name = `v${count++}`
    parameters[name] = value
    return `:${name}`
  }
  return {bind, parameters}
}

/**
 * The operators that a field supports. Each returns an SQL condition that is true or false, never
 * NULL. If a method is missing or returns `undefined`, the query is invalid.
 */
export interface SqlField {
  compare?(operator: Operator, value: Literal, bind: Bind): string | undefined
  /** `value in field` */
  in?(value: Literal, bind: Bind): string | undefined
  has?(pairs: Pairs, bind: Bind): string | undefined
}

/** The fields of one kind of resource, by name; `undefined` for an unknown name. */
export type SqlFields = (name: string) => SqlField | undefined

/** Maximum nesting of conditions, because SQLite's parser has a limit. Redundant parentheses do not count. */
const MAX_DEPTH = 12

/** The SQL condition for a query over `fields`. Throws 400 `invalid` at `q`. */
export function querySql(query: Query, fields: SqlFields, bind: Bind, depth = 0): string {
  if (depth > MAX_DEPTH) throw invalidValue('q')
  switch (query.type) {
    case 'and':
    case 'or':
      return chainSql(
        chainOf(query).map(({operator, operand}) => ({
          operator,
          sql: `(${querySql(operand, fields, bind, depth + 1)})`,
        })),
      )
    case 'not':
      return `NOT (${querySql(query.operand, fields, bind, depth + 1)})`
    default: {
      const field = fields(query.field)
      const condition =
        query.type === 'compare'
          ? field?.compare?.(query.operator, query.value, bind)
          : query.type === 'in'
            ? field?.in?.(query.value, bind)
            : field?.has?.(query.pairs, bind)
      if (condition === undefined) throw invalidValue('q')
      return condition
    }
  }
}

interface Link {
  /** The operator before the operand; meaningless for the first one. */
  readonly operator: 'and' | 'or'
  readonly operand: Query
}

/** The operands of a query from left to right, without redundant parentheses. */
function chainOf(query: Query, operator: Link['operator'] = 'and'): Link[] {
  if (query.type !== 'and' && query.type !== 'or') return [{operator, operand: query}]
  const right = chainOf(query.right, query.type)
  const fits = right.every(link => link.operator === query.type)
  return [
    ...chainOf(query.left, operator),
    ...(fits ? right : [{operator: query.type, operand: query.right}]),
  ]
}

/**
 * The SQL condition for a chain. In SQL, AND binds tighter than OR; in queries it does not. So a
 * mixed chain becomes a flat CASE that is read from its end: a false operand after `and` makes the
 * chain false, and a true one after `or` makes it true.
 */
function chainSql(links: ReadonlyArray<{operator: Link['operator']; sql: string}>): string {
  const [first, ...rest] = links.map(link => link.sql)
  const operators = links.slice(1).map(link => link.operator)
  if (new Set(operators).size === 1) return [first, ...rest].join(` ${operators[0]} `)
  const cases = rest.map((sql, index) =>
    operators[index] === 'and' ? `WHEN NOT ${sql} THEN FALSE` : `WHEN ${sql} THEN TRUE`,
  )
  return `CASE ${cases.reverse().join(' ')} ELSE ${first} END`
}

/** Maximum number of terms in a query, because SQLite limits the size of a statement. */
const MAX_TERMS = 300

/** Parses the `q` of a request; `undefined` for empty text. Throws 400 `invalid` at `q`. */
export function readQuery(text: string | undefined): Query | undefined {
  try {
    return parseQuery(text ?? '', {maxTerms: MAX_TERMS})
  } catch (error) {
    throw error instanceof QueryError ? invalidValue('q') : error
  }
}
