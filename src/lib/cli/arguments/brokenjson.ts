const TOKEN =
  // eslint-disable-next-line no-control-regex
  /(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y

/**
 * Where a text stops being JSON, as an offset; its length when it ends too early. For texts that
 * `JSON.parse` refused: not all versions of Node say where.
 */
export function jsonErrorAt(text: string): number {
  const open: string[] = []
  let expected: 'value' | 'key' | 'colon' | 'after' = 'value'
  /** A list or an object may end here, directly behind its opening. */
  let canClose = false
  let end = 0
  for (;;) {
    const start = skipBlanks(text, end)
    if (start === text.length) return start
    const token = new RegExp(TOKEN)
    token.lastIndex = start
    const [whole = '', mark, string, literal] = token.exec(text) ?? []
    end = start + whole.length
    const isClosing = (mark === '}' || mark === ']') && (expected === 'after' || canClose)
    if (isClosing && open.at(-1) === (mark === '}' ? '{' : '[')) {
      open.pop()
      expected = 'after'
      canClose = false
    } else if (expected === 'value' && (string ?? literal) !== undefined) {
      expected = 'after'
      canClose = false
    } else if (expected === 'value' && (mark === '{' || mark === '[')) {
      open.push(mark)
      expected = mark === '{' ? 'key' : 'value'
      canClose = true
    } else if (expected === 'key' && string !== undefined) {
      expected = 'colon'
      canClose = false
    } else if (expected === 'colon' && mark === ':') {
      expected = 'value'
    } else if (expected === 'after' && mark === ',' && open.length > 0) {
      expected = open.at(-1) === '{' ? 'key' : 'value'
    } else {
      return start
    }
  }
}

/** `line 2, column 7` for an offset, both counted from 1. */
export function placeIn(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length && /[ \t\n\r]/.test(text[at]!)) at++
  return at
}
