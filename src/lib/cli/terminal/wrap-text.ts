/** Wraps messages for a terminal. Every message needs it, so it imports nothing; `width.ts` measures exactly. Pure. */

/** The units that stay on one line if they fit: a command in backticks, or a word. */
const UNBROKEN = /( *)(`[^`\n]*`[^\s`]*|[^ ]+)/g

/**
 * Wraps a text into lines of at most `width` columns, only between words. A command in backticks stays on
 * one line if it fits; longer words are left to the terminal. Lines of JSON are not wrapped.
 */
export function wrapText(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap(line => (line.startsWith('{') ? [line] : wrapLine(line, width)))
    .join('\n')
}

function wrapLine(line: string, width: number): string[] {
  if (columnsOf(line) <= width) return [line]
  const indent = /^ */.exec(line)![0]
  const pieces = [...line.slice(indent.length).matchAll(UNBROKEN)].flatMap(
    ([, gap = '', piece = '']) =>
      columnsOf(indent + piece) <= width
        ? [{gap, piece}]
        : piece.split(' ').map((word, at) => ({gap: at === 0 ? gap : ' ', piece: word})),
  )
  const lines: string[] = []
  let current = indent
  for (const {gap, piece} of pieces) {
    const isFirst = current === indent
    if (!isFirst && columnsOf(current + gap + piece) > width) {
      lines.push(current)
      current = indent + piece
    } else current += (isFirst ? '' : gap) + piece
  }
  return [...lines, current]
}

/** From this character on, most characters are two columns wide. */
const FIRST_WIDE = '\u2e80'

/** The width of a text, in columns; never too low. */
function columnsOf(text: string): number {
  let columns = 0
  for (const character of text) columns += character >= FIRST_WIDE ? 2 : 1
  return columns
}
