import {parseQuery} from '#lib/api/query/parse.js'
import {
  type Literal,
  type Operator,
  type Pairs,
  type Query,
  QueryError,
} from '#lib/api/query/query.js'
import {invalidValue} from '#lib/service/errors.js'
import type {Parameters, Value} from '#lib/service/store/database/database.js'

/** Takes in a value of a statement and answers the name it goes by there: `:v3`. */
export type Bind = (value: Value) => string

/** A condition that nothing meets. Not `FALSE`, for which SQLite forgets what stands beside it, and so the indexes that go with that. */
export const NOTHING = '1 = 0'

/** Values of a statement that is put together piece by piece: `parameters` grows with every `bind`. */
export function binder(known: Parameters = {}): {
  readonly bind: Bind
  readonly parameters: Parameters
} {
  const parameters: Record<string, Value> = {...known}
  let count = 0
  const bind: Bind = value => {
    const name = `v${count++}`
    parameters[name] = value
    return `:${name}`
  }
  return {bind, parameters}
}

/**
 * What a query may ask of a field, each as an SQL condition that is true or false, never NULL. A
 * way to ask that is missing, or that answers `undefined`, is an error in the query.
 */
export interface SqlField {
  compare?(operator: Operator, value: Literal, bind: Bind): string | undefined
  /** `value in field` */
  in?(value: Literal, bind: Bind): string | undefined
  has?(pairs: Pairs, bind: Bind): string | undefined
}

/** The fields that queries over one kind of thing know; `undefined` for another name. */
export type SqlFields = (name: string) => SqlField | undefined

/** How deep conditions may stand in each other: SQLite's parser bounds it. Parentheses that change nothing do not count. */
const MAX_DEPTH = 12

/** A query as an SQL condition over the columns that `fields` speaks of; throws 400 `invalid` at `q`. */
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
  /** What stands before the operand; the first has nothing before it that counts. */
  readonly operator: 'and' | 'or'
  readonly operand: Query
}

/** What a query joins from left to right, without the parentheses that change nothing. */
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
 * The condition that a chain stands for. SQL lets AND bind tighter than OR and queries do not, so
 * a mixed chain becomes a flat list of cases, read from its end: a false operand behind `and`
 * decides the whole, and so does a true one behind `or`.
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

/** The most terms of one query: SQLite bounds the size of a statement. */
const MAX_TERMS = 300

/** The query in the `q` of a request; `undefined` for an empty one. Throws 400 `invalid` at `q`. */
export function readQuery(text: string | undefined): Query | undefined {
  try {
    return parseQuery(text ?? '', {maxTerms: MAX_TERMS})
  } catch (error) {
    throw error instanceof QueryError ? invalidValue('q') : error
  }
}
