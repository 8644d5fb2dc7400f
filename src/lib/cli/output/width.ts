import stringWidth from 'string-width'

/** What a text takes in a terminal, and how it is made to take just so much. */

/** The columns a text takes in a terminal. */
export function displayWidth(text: string): number {
  return stringWidth(text)
}

/** What a reader takes for one character, whatever it is made of. */
const clusters = new Intl.Segmenter(undefined, {granularity: 'grapheme'})

/** Cuts a text to so many columns, with `…` at the end when something was cut. */
export function fit(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  return width < 1 ? '' : `${start(text, width - 1)}…`
}

/** Fills a text with blanks up to so many columns, behind it or before it. */
export function pad(text: string, width: number, side: 'behind' | 'before' = 'behind'): string {
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(text)))
  return side === 'behind' ? text + blanks : blanks + text
}

/** A text in lines of at most `width` columns, broken between words; a longer word goes on below. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ').filter(Boolean)) {
    const line = lines.at(-1)
    if (line !== undefined && displayWidth(`${line} ${word}`) <= width) {
      lines[lines.length - 1] = `${line} ${word}`
    } else lines.push(...pieces(word, width))
  }
  return lines
}

/** Letters of scripts that run from right to left. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** The text so that its reading direction does not reach what stands beside it. */
export function isolated(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text
}

function pieces(word: string, width: number): string[] {
  const all: string[] = []
  for (let rest = word; rest !== '';) {
    // A character wider than the line has one of its own.
    const piece = start(rest, width) || [...clusters.segment(rest)][0]!.segment
    all.push(piece)
    rest = rest.slice(piece.length)
  }
  return all
}

/** As many whole characters from the start of a text as fit into so many columns. */
function start(text: string, width: number): string {
  let used = 0
  for (const {segment, index} of clusters.segment(text)) {
    used += displayWidth(segment)
    if (used > width) return text.slice(0, index)
  }
  return text
}
