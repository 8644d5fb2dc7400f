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

/** What a query is held to beside the grammar. */
export interface QueryRules {
  /** The fields there are and what may be asked of each; without them any name passes. */
  readonly fields?: QueryFields
  /** How many terms it may have. */
  readonly mostTerms?: number
}

/** The most parentheses in each other, which are read by recursion. */
const MAX_DEPTH = 500

const KEYWORDS = new Set(['and', 'or', 'not', 'in', 'has', 'contains', 'true', 'false'])
const SYMBOLS = ['=', '!=', '<', '<=', '>', '>='] as const

/** Each kind of value in words, and what is one. */
const KINDS: Readonly<
  Record<QueryField['value'], readonly [words: string, is: (value: Literal) => boolean]>
> = {
  text: ['a text in quotes', value => typeof value === 'string'],
  boolean: ['true or false', value => typeof value === 'boolean'],
  time: [
    "a time in quotes such as '2026-01-31T12:00:00Z'",
    value => typeof value === 'string' && readTime(value) !== undefined,
  ],
  number: ['a whole number', value => Number.isSafeInteger(value)],
  any: ['a value such as a text in quotes', () => true],
}

/** What stands in the braces behind `properties has`. */
const PAIR_NAMES: readonly string[] = ['key', 'value', 'visibility']

const ANY: QueryField = {operators: [...SYMBOLS, 'contains', 'in', 'has'], value: 'any'}

/**
 * Reads a query; `undefined` for an empty one, which filters nothing. `and` and `or` bind equally
 * and from left to right, `not` binds tighter. Throws `QueryError`.
 */
export function parseQuery(
  text: string,
  {fields, mostTerms = Infinity}: QueryRules = {},
): Query | undefined {
  const tokens = tokenize(text)
  if (tokens.length === 0) return undefined

  let position = 0
  let terms = 0
  /** What was looked for at the place reached last. */
  let expected: string[] = []

  function advance(): void {
    position++
    expected = []
  }

  function take(text: string, type: Token['type'] = 'word'): boolean {
    const token = tokens[position]
    const found = token?.type === type && token.text.toLowerCase() === text
    if (found) advance()
    else expected.push(text)
    return found
  }

  function refuse(): never {
    const {at, end} = tokens[position] ?? {at: text.trimEnd().length, end: text.length}
    throw new QueryError(at, text.slice(at, end).trim(), expected)
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
    expect(++terms <= mostTerms)
    const token = tokens[position]
    if (token && ['text', 'number'].includes(token.type)) return membership()
    const [field, known] = fieldName(false)
    const {operators, value} = known
    if (operators.includes('has') && take('has')) return {type: 'has', field, pairs: pairs()}
    const operator = takeOperator(operators)
    if (operator) return {type: 'compare', field, operator, value: literal(known)}
    // A field alone stands for its being true.
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
    return refuse()
  }

  /** The name of a field; where fields are known, of one that can stand behind `in` or can not. */
  function fieldName(isBehindIn: boolean): readonly [name: string, field: QueryField] {
    const isFit = ({operators}: QueryField) =>
      isBehindIn ? operators.includes('in') : operators.some(operator => operator !== 'in')
    const names = Object.keys(fields ?? {}).filter(name => !isBehindIn || isFit(fields![name]!))
    const word = tokens[position]?.type === 'word' ? tokens[position]!.text : ''
    const field = fields && word !== '' ? queryField(fields, word) : ANY
    if (field && isFit(field)) return [name(names), field]
    expected = field && !isBehindIn ? [`'x' in ${word}`] : [...expected, ...names]
    return refuse()
  }

  function name(names: readonly string[]): string {
    expected.push(...names)
    const token = tokens[position]
    if (token?.type !== 'word' || KEYWORDS.has(token.text.toLowerCase())) return refuse()
    advance()
    return token.text
  }

  function literal({value: kind, values}: QueryField): Literal {
    const [words, is] = KINDS[kind]
    expected.push(...(values?.map(value => `'${value}'`) ?? [words]))
    const token = tokens[position]
    const value = token && valueOf(token)
    if (value === undefined || !is(value) || (values && !values.includes(String(value)))) {
      return refuse()
    }
    advance()
    return value
  }

  const query = chain(0)
  expect(position === tokens.length)
  return query
}

function valueOf({type, text}: Token): Literal | undefined {
  const lower = text.toLowerCase()
  if (type === 'word' && (lower === 'true' || lower === 'false')) return lower === 'true'
  if (type === 'text') return text
  return type === 'number' ? Number(text) : undefined
}

/** A piece of a search query. Texts come without their quotes and escapes. */
export interface Token {
  /** `other` is no piece of the language: nothing behind it is read. */
  readonly type: 'text' | 'symbol' | 'number' | 'word' | 'other'
  readonly text: string
  /** Where it begins and ends, in UTF-16 units. */
  readonly at: number
  readonly end: number
}

const TOKEN =
  /(?<blanks>\s*)(?:(?<text>'(?:[^'\\]|\\['"\\])*'|"(?:[^"\\]|\\['"\\])*")|(?<symbol>[(){}]|[<>!]=|[=<>])|(?<number>-?\d+(?:\.\d+)?)(?!\w)|(?<word>[A-Za-z_][\w./-]*))/uy

/** A text without its end, as far as it can be read. */
const OPEN_TEXT = /'(?:[^'\\]|\\['"\\])*|"(?:[^"\\]|\\['"\\])*/uy

/**
 * Cuts a query into tokens. In a text, a backslash stands before a quote or another backslash, and
 * before nothing else (reference: protocols.md, section 5).
 */
export function tokenize(query: string): Token[] {
  const tokens: Token[] = []
  const source = query.trimEnd()
  const pattern = new RegExp(TOKEN)
  while (pattern.lastIndex < source.length) {
    const start = pattern.lastIndex
    const groups = pattern.exec(source)?.groups
    if (!groups) return [...tokens, unreadable(source, start)]
    const at = start + groups.blanks!.length
    tokens.push({...pieceOf(groups), at, end: pattern.lastIndex})
  }
  return tokens
}

/** A backslash in a text that stands before something else, a text that has no end, or any other sign. */
function unreadable(source: string, start: number): Token {
  const at = source.length - source.slice(start).trimStart().length
  const pattern = new RegExp(OPEN_TEXT)
  pattern.lastIndex = at
  const open = pattern.exec(source)?.[0].length ?? 0
  if (source[at + open] === '\\') return other('\\', at + open)
  const text = open > 0 ? source.slice(at) : String.fromCodePoint(source.codePointAt(at)!)
  return other(text, at)
}

function other(text: string, at: number): Token {
  return {type: 'other', text, at, end: at + text.length}
}

function pieceOf({
  text,
  symbol,
  number,
  word,
}: Record<string, string | undefined>): Pick<Token, 'type' | 'text'> {
  if (text !== undefined) {
    return {type: 'text', text: text.slice(1, -1).replace(/\\(.)/gu, '$1')}
  }
  if (symbol !== undefined) return {type: 'symbol', text: symbol}
  if (number !== undefined) return {type: 'number', text: number}
  return {type: 'word', text: word!}
}

/** An RFC 3339 time as Unix ms. Without a zone it is UTC; a date alone is its first moment. */
export function readTime(text: string): number | undefined {
  const parts =
    /^(\d{4}-\d\d-\d\d)(?:[Tt](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)([Zz]|[+-]\d\d:\d\d)?)?$/.exec(text)
  if (!parts) return undefined
  const [, date, time = '00:00', zone = 'Z'] = parts
  const midnight = new Date(`${date}T00:00:00Z`)
  // A day that its month does not have is taken for one of the next month.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(date!))
    return undefined
  const ms = Date.parse(`${date}T${time}${zone.toUpperCase()}`)
  return Number.isNaN(ms) ? undefined : ms
}
