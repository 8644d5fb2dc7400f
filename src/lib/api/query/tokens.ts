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
