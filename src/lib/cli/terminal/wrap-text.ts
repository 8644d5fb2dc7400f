/**
 * Lines for people that fit a terminal. Whatever is said needs this, so it loads nothing: what counts the
 * columns of other texts to the last one is in `width.ts`. Pure.
 */

/** What is not broken while it fits into a line: a command in backticks, else a word. */
const UNBROKEN = /( *)(`[^`\n]*`[^\s`]*|[^ ]+)/g

/**
 * Text for people in lines of at most `width` columns, broken between words: a command in backticks stays
 * in one piece where it can, and what is longer than a line is left to the terminal. Lines of JSON stay.
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

/** The first character of those that mostly take two columns. */
const FIRST_WIDE = '\u2e80'

/** The columns of a text, or a few more. */
function columnsOf(text: string): number {
  let columns = 0
  for (const character of text) columns += character >= FIRST_WIDE ? 2 : 1
  return columns
}
