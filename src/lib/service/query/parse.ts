import {invalidValue} from '../errors.js'
import {type Token, tokenize} from './tokens.js'

/**
 * The search language of the `q` parameter as a tree (reference: protocols.md, section 5). It is
 * about grammar only: which fields there are and what they compare with is said in `fields.ts`.
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

/** The most terms of one query: SQLite bounds the size of a statement. */
const MAX_TERMS = 300
/** The most parentheses in each other, which are read by recursion. */
const MAX_DEPTH = 500

const KEYWORDS = new Set(['and', 'or', 'not', 'in', 'has', 'contains', 'true', 'false'])
const SYMBOLS = new Set(['=', '!=', '<', '<=', '>', '>='])

/**
 * Reads a query; `undefined` for an empty one, which filters nothing. `and` and `or` bind equally
 * and from left to right, `not` binds tighter. Throws 400 `invalid` at `q`.
 */
export function parseQuery(text: string | undefined): Query | undefined {
  const tokens = tokenize(text ?? '') ?? refuse()
  if (tokens.length === 0) return undefined

  let position = 0
  let terms = 0
  const next = (): Token | undefined => tokens[position++]

  function take(text: string, type: Token['type'] = 'word'): boolean {
    const token = tokens[position]
    const found = token?.type === type && token.text.toLowerCase() === text
    if (found) position++
    return found
  }

  function expect(found: boolean): void {
    if (!found) refuse()
  }

  function chain(depth: number): Query {
    let left = operand(depth)
    for (;;) {
      const type = take('and') ? 'and' : take('or') ? 'or' : undefined
      if (!type) return left
      left = {type, left, right: operand(depth)}
    }
  }

  function operand(depth: number): Query {
    return take('not') ? {type: 'not', operand: group(depth)} : group(depth)
  }

  function group(depth: number): Query {
    if (!take('(', 'symbol')) return term()
    expect(depth < MAX_DEPTH)
    const inner = chain(depth + 1)
    expect(take(')', 'symbol'))
    return inner
  }

  function term(): Query {
    expect(++terms <= MAX_TERMS)
    if (tokens[position]?.type !== 'word') {
      const value = literal()
      expect(take('in'))
      return {type: 'in', value, field: name()}
    }
    const field = name()
    if (take('has')) return {type: 'has', field, pairs: pairs()}
    const operator = takeOperator()
    if (!operator) return {type: 'compare', field, operator: '=', value: true}
    return {type: 'compare', field, operator, value: literal()}
  }

  function takeOperator(): Operator | undefined {
    if (take('contains')) return 'contains'
    const token = tokens[position]
    if (token?.type !== 'symbol' || !SYMBOLS.has(token.text)) return undefined
    position++
    return token.text as Operator
  }

  function pairs(): Pairs {
    const found: Record<string, Literal> = {}
    expect(take('{', 'symbol'))
    do {
      const key = name()
      expect(take('=', 'symbol') && !Object.hasOwn(found, key))
      found[key] = literal()
    } while (take('and'))
    expect(take('}', 'symbol'))
    return found
  }

  function name(): string {
    const token = next()
    if (token?.type !== 'word' || KEYWORDS.has(token.text.toLowerCase())) return refuse()
    return token.text
  }

  function literal(): Literal {
    if (take('true')) return true
    if (take('false')) return false
    const token = next()
    if (token?.type === 'text') return token.text
    if (token?.type === 'number') return Number(token.text)
    return refuse()
  }

  const query = chain(0)
  expect(position === tokens.length)
  return query
}

function refuse(): never {
  throw invalidValue('q')
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
