/**
 * The search language of the `q` parameter (reference: protocols.md, section 5): texts become trees,
 * and what cannot be read is told with its place. What a search finds belongs to the service.
 */

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'contains'
export type Literal = string | number | boolean

export type Query =
  | {readonly type: 'and' | 'or'; readonly left: Query; readonly right: Query}
  | {readonly type: 'not'; readonly operand: Query}
  | {
      readonly type: 'compare'
      readonly field: string
      readonly operator: Operator
      readonly value: Literal
    }
  | {readonly type: 'in'; readonly field: string; readonly value: Literal}
  | {readonly type: 'has'; readonly field: string; readonly pairs: Pairs}

/** What stands in braces: `{key='k' and value='v'}`. */
export type Pairs = Readonly<Record<string, Literal>>

/** A text that is no query. */
export class QueryError extends Error {
  constructor(
    /** Where, in UTF-16 units; the length of the text where it ends too early. */
    readonly at: number,
    /** What stands there; '' at the end. */
    readonly found: string,
    /** What could stand there: words of the language, or kinds of values as people call them. */
    readonly expected: readonly string[],
  ) {
    super(`The query cannot be read at ${at}.`)
    this.name = 'QueryError'
  }
}

/** The values that a query compares `field` with, but for those behind a `not`. */
export function wantedValues(query: Query, field: string): Literal[] {
  if (query.type === 'and' || query.type === 'or') {
    return [query.left, query.right].flatMap(part => wantedValues(part, field))
  }
  return query.type === 'compare' && query.field === field ? [query.value] : []
}

/** Whether a query names a field anywhere. */
export function usesField(query: Query, field: string): boolean {
  if ('field' in query) return query.field === field
  const parts = query.type === 'not' ? [query.operand] : [query.left, query.right]
  return parts.some(part => usesField(part, field))
}
