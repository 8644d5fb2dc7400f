import {
  type Literal,
  type Operator,
  type Pairs,
  type Query,
  QueryError,
  type QueryField,
  queryField,
  type QueryFields,
} from './query.js'

/** Limits on a query besides the grammar. */
export interface QueryRules {
  /** The known fields; if absent, any field name is accepted. */
  readonly fields?: QueryFields
  /** The maximum number of terms. */
  readonly maxTerms?: number
}

/** Maximum nesting of parentheses, because they are parsed by recursion. */
const MAX_DEPTH = 500

const KEYWORDS = new Set(['and', 'or', 'not', 'in', 'has', 'contains', 'true', 'false'])
const SYMBOLS = ['=', '!=', '<', '<=', '>', '>='] as const

/** For each kind of value, its description and its check. */
const KINDS: Readonly<
  Record<QueryField['value'], readonly [label: string, isValid: (value: Literal) => boolean]>
> = {
  text: ['a quoted string', value => typeof value === 'string'],
  boolean: ['true or false', value => typeof value === 'boolean'],
  time: [
    "a quoted time such as '2026-01-31T12:00:00Z'",
    value => typeof value === 'string' && readTime(value) !== undefined,
  ],
  number: ['an integer', value => Number.isSafeInteger(value)],
  any: ['a value such as a quoted string', () => true],
}

/** The keys in the braces after `properties has`. */
const PAIR_NAMES: readonly string[] = ['key', 'value', 'visibility']

const ANY: QueryField = {operators: [...SYMBOLS, 'contains', 'in', 'has'], value: 'any'}

/**
 * The syntax tree of a query; `undefined` for an empty one, which matches everything. `and` and `or` have
 * equal precedence and associate to the left; `not` binds tighter. Throws `QueryError`.
 */
export function parseQuery(
  text: string,
  {fields, maxTerms = Infinity}: QueryRules = {},
): Query | undefined {
  const tokens = tokenize(text)
  if (tokens.length === 0) return undefined

  let position = 0
  let terms = 0
  /** The valid tokens at the current position. */
  let expected: string[] = []

  function advance(): void {
    position++
    expected = []
  }

  function take(text: string, type: QueryToken['type'] = 'word'): boolean {
    const token = tokens[position]
    const found = token?.type === type && token.text.toLowerCase() === text
    if (found) advance()
    else expected.push(text)
    return found
  }

  function fail(): never {
    const {at, end} = tokens[position] ?? {at: text.trimEnd().length, end: text.length}
    throw new QueryError(at, text.slice(at, end).trim(), expected)
  }

  function expect(found: boolean): void {
    if (!found) fail()
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
    expect(++terms <= maxTerms)
    const token = tokens[position]
    if (token && ['text', 'number'].includes(token.type)) return membership()
    const [field, known] = fieldName(false)
    const {operators, value} = known
    if (operators.includes('has') && take('has')) return {type: 'has', field, pairs: pairs()}
    const operator = takeOperator(operators)
    if (operator) return {type: 'compare', field, operator, value: literal(known)}
    // A field alone means `field = true`.
    expect(!fields || value === 'boolean')
    return {type: 'compare', field, operator: '=', value: true}
  }

  function membership(): Query {
    const value = literal(ANY)
    expect(take('in'))
    const [field] = fieldName(true)
    return {type: 'in', value, field}
  }

  function takeOperator(operators: QueryField['operators']): Operator | undefined {
    if (operators.includes('contains') && take('contains')) return 'contains'
    return SYMBOLS.find(symbol => operators.includes(symbol) && take(symbol, 'symbol'))
  }

  function pairs(): Pairs {
    const found: Record<string, Literal> = {}
    expect(take('{', 'symbol'))
    do {
      const key = pairName()
      expect(!Object.hasOwn(found, key) && take('=', 'symbol'))
      found[key] = literal(ANY)
    } while (take('and'))
    expect(take('}', 'symbol'))
    return found
  }

  function pairName(): string {
    const token = tokens[position]
    if (!fields || (token && PAIR_NAMES.includes(token.text))) return name(PAIR_NAMES)
    expected.push(...PAIR_NAMES)
    return fail()
  }

  /** A field name; if fields are known, one that fits its position: after `in`, or before an operator. */
  function fieldName(isAfterIn: boolean): readonly [name: string, field: QueryField] {
    const fitsPosition = ({operators}: QueryField) =>
      isAfterIn ? operators.includes('in') : operators.some(operator => operator !== 'in')
    const names = Object.keys(fields ?? {}).filter(
      name => !isAfterIn || fitsPosition(fields![name]!),
    )
    const word = tokens[position]?.type === 'word' ? tokens[position]!.text : ''
    const field = fields && word !== '' ? queryField(fields, word) : ANY
    if (field && fitsPosition(field)) return [name(names), field]
    expected =
      field && !isAfterIn ? [`a condition such as 'x' in ${word}`] : [...expected, ...names]
    return fail()
  }

  function name(names: readonly string[]): string {
    expected.push(...names)
    const token = tokens[position]
    if (token?.type !== 'word' || KEYWORDS.has(token.text.toLowerCase())) return fail()
    advance()
    return token.text
  }

  function literal({value: kind, values}: QueryField): Literal {
    const [label, isValid] = KINDS[kind]
    expected.push(...(values?.map(value => `'${value}'`) ?? [label]))
    const token = tokens[position]
    const value = token && valueOf(token)
    if (value === undefined || !isValid(value) || (values && !values.includes(String(value)))) {
      return fail()
    }
    advance()
    return value
  }

  const query = chain(0)
  expect(position === tokens.length)
  return query
}

function valueOf({type, text}: QueryToken): Literal | undefined {
  const lower = text.toLowerCase()
  if (type === 'word' && (lower === 'true' || lower === 'false')) return lower === 'true'
  if (type === 'text') return text
  return type === 'number' ? Number(text) : undefined
}

/** A token of a query. Strings are unquoted and unescaped. */
export interface QueryToken {
  /** `other` is not part of the language; the tokens end there. */
  readonly type: 'text' | 'symbol' | 'number' | 'word' | 'other'
  readonly text: string
  /** Start and end in UTF-16 units. */
  readonly at: number
  readonly end: number
}

const TOKEN =
  /(?<blanks>\s*)(?:(?<text>'(?:[^'\\]|\\['"\\])*'|"(?:[^"\\]|\\['"\\])*")|(?<symbol>[(){}]|[<>!]=|[=<>])|(?<number>-?\d+(?:\.\d+)?)(?!\w)|(?<word>[A-Za-z_][\w./-]*))/uy

/** The start of a string, without its closing quote. */
const UNCLOSED_TEXT = /'(?:[^'\\]|\\['"\\])*|"(?:[^"\\]|\\['"\\])*/uy

/**
 * The tokens of a query. In a string, a backslash escapes a quote or a backslash, and nothing else
 * (reference: protocols.md, section 5).
 */
export function tokenize(query: string): QueryToken[] {
  const tokens: QueryToken[] = []
  const source = query.trimEnd()
  const pattern = new RegExp(TOKEN)
  while (pattern.lastIndex < source.length) {
    const start = pattern.lastIndex
    const groups = pattern.exec(source)?.groups
    if (!groups) return [...tokens, invalidToken(source, start)]
    const at = start + groups.blanks!.length
    tokens.push({...tokenOf(groups), at, end: pattern.lastIndex})
  }
  return tokens
}

/** The token for an invalid escape, an unclosed string, or any other invalid character. */
function invalidToken(source: string, start: number): QueryToken {
  const at = source.length - source.slice(start).trimStart().length
  const pattern = new RegExp(UNCLOSED_TEXT)
  pattern.lastIndex = at
  const open = pattern.exec(source)?.[0].length ?? 0
  if (source[at + open] === '\\') return other('\\', at + open)
  const text = open > 0 ? source.slice(at) : String.fromCodePoint(source.codePointAt(at)!)
  return other(text, at)
}

function other(text: string, at: number): QueryToken {
  return {type: 'other', text, at, end: at + text.length}
}

function tokenOf({
  text,
  symbol,
  number,
  word,
}: Record<string, string | undefined>): Pick<QueryToken, 'type' | 'text'> {
  if (text !== undefined) {
    return {type: 'text', text: text.slice(1, -1).replace(/\\(.)/gu, '$1')}
  }
  if (symbol !== undefined) return {type: 'symbol', text: symbol}
  if (number !== undefined) return {type: 'number', text: number}
  return {type: 'word', text: word!}
}

/** Unix milliseconds of an RFC 3339 time, or `undefined`. UTC without a zone; a date alone means midnight. */
export function readTime(text: string): number | undefined {
  const parts =
    /^(\d{4}-\d\d-\d\d)(?:[Tt](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)([Zz]|[+-]\d\d:\d\d)?)?$/.exec(text)
  if (!parts) return undefined
  const [, date, time = '00:00', zone = 'Z'] = parts
  const midnight = new Date(`${date}T00:00:00Z`)
  // `Date` accepts a day past the end of a month as one of the next month.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(date!))
    return undefined
  const ms = Date.parse(`${date}T${time}${zone.toUpperCase()}`)
  return Number.isNaN(ms) ? undefined : ms
}
