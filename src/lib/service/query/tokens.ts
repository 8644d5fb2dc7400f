/** A piece of a search query. Texts come without their quotes and escapes. */
export interface Token {
  readonly type: 'text' | 'symbol' | 'number' | 'word'
  readonly text: string
}

const TOKEN =
  /\s*(?:(?<text>'(?:[^'\\]|\\['"\\])*'|"(?:[^"\\]|\\['"\\])*")|(?<symbol>[(){}]|[<>!]=|[=<>])|(?<number>-?\d+(?:\.\d+)?)(?!\w)|(?<word>[A-Za-z_][\w./-]*))/uy

/**
 * Cuts a query into tokens; `undefined` where it has something that is none. In a text, a backslash
 * stands before a quote or another backslash, and before nothing else (reference: protocols.md, section 5).
 */
export function tokenize(query: string): Token[] | undefined {
  const tokens: Token[] = []
  const source = query.trimEnd()
  const pattern = new RegExp(TOKEN)
  while (pattern.lastIndex < source.length) {
    const groups = pattern.exec(source)?.groups
    if (!groups) return undefined
    tokens.push(tokenOf(groups))
  }
  return tokens
}

function tokenOf({text, symbol, number, word}: Record<string, string | undefined>): Token {
  if (text !== undefined) {
    return {type: 'text', text: text.slice(1, -1).replace(/\\(.)/gu, '$1')}
  }
  if (symbol !== undefined) return {type: 'symbol', text: symbol}
  if (number !== undefined) return {type: 'number', text: number}
  return {type: 'word', text: word!}
}
