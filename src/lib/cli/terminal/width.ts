import {stripVTControlCharacters} from 'node:util'
import stringWidth from 'string-width'

/** Measures text in terminal columns, and cuts, pads and wraps it. Every function takes linear time. */

/**
 * Characters of one code unit that never combine with others: one column each below U+3000, two from
 * there on. Text of only these needs neither string-width nor `Intl.Segmenter`, whose first use takes as
 * long as starting Node.
 */
const PLAIN =
  /^[ -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0373\u0388\u038e-\u03a1\u03a3-\u0482\u048a-\u052f\u05d0-\u05ea\u0621-\u063a\u0641-\u064a\u2010-\u2027\u2030-\u205e\u2190-\u2193\u2500-\u257f\u3001-\u3029\u3041-\u3096\u30a1-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e]*$/
const FIRST_WIDE = '\u3000'

/** The width of a text, in columns; escape sequences count 0. */
export function displayWidth(text: string): number {
  const shown = PLAIN.test(text) ? text : stripVTControlCharacters(text)
  let width = 0
  for (const {columns} of characters(shown)) width += columns
  return width
}

/** Cuts a text to `width` columns, ending with `…` if it was longer. */
export function fit(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  return width < 1 ? '' : `${start(text, width - 1)}…`
}

/** Pads a text with spaces to `width` columns. */
export function pad(text: string, width: number, side: 'behind' | 'before' = 'behind'): string {
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(text)))
  return side === 'behind' ? text + blanks : blanks + text
}

/** Wraps a text into lines of at most `width` columns; a longer word continues on the next line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line: string[] = []
  let used = 0
  for (const word of text.split(' ').filter(Boolean)) {
    const parts = partsOf(word, width)
    const {columns} = parts.at(-1)!
    if (line.length > 0 && parts.length === 1 && used + 1 + columns <= width) {
      line.push(word)
      used += 1 + columns
      continue
    }
    if (line.length > 0) lines.push(line.join(' '))
    for (const part of parts.slice(0, -1)) lines.push(part.text)
    line = [parts.at(-1)!.text]
    used = columns
  }
  return line.length > 0 ? [...lines, line.join(' ')] : lines
}

/** Letters of right-to-left scripts. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Isolates right-to-left text, so that it does not reorder the text beside it. */
export function isolated(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text
}

interface Part {
  readonly text: string
  readonly columns: number
}

/** Cuts a word into parts of at most `width` columns; a character wider than that is a part of its own. */
function partsOf(word: string, width: number): Part[] {
  const parts: Part[] = []
  let begin = 0
  let at = 0
  let used = 0
  for (const {length, columns} of characters(word)) {
    if (at > begin && used + columns > width) {
      parts.push({text: word.slice(begin, at), columns: used})
      begin = at
      used = 0
    }
    at += length
    used += columns
  }
  return [...parts, {text: word.slice(begin), columns: used}]
}

/** The start of a text, as many whole characters as fit into `width` columns. */
function start(text: string, width: number): string {
  let at = 0
  let used = 0
  for (const {length, columns} of characters(text)) {
    used += columns
    if (used > width) break
    at += length
  }
  return text.slice(0, at)
}

/** A grapheme cluster: one character to a reader. */
interface Character {
  /** In code units. */
  readonly length: number
  readonly columns: number
}

const NARROW: Character = {length: 1, columns: 1}
const WIDE: Character = {length: 1, columns: 2}

/** Yields the characters of a text. */
function* characters(text: string): Generator<Character> {
  if (PLAIN.test(text)) {
    for (let at = 0; at < text.length; at += 1) yield text[at]! < FIRST_WIDE ? NARROW : WIDE
    return
  }
  const known = new Map<string, Character>()
  for (const cluster of clusters(text)) {
    let character = known.get(cluster)
    if (!character) {
      character = {length: cluster.length, columns: stringWidth(cluster)}
      known.set(cluster, character)
    }
    yield character
  }
}

/** Created on first use, because that is slow. */
let segmenter: Intl.Segmenter | undefined

/** Code units segmented at once; in V8, the time grows with the square of the length. */
const WINDOW = 1024

/** Yields the grapheme clusters of a text. */
function* clusters(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter(undefined, {granularity: 'grapheme'})
  let size = WINDOW
  for (let begin = 0; begin < text.length;) {
    const end = begin + size
    let length = 0
    for (const {segment, index} of segmenter.segment(text.slice(begin, end))) {
      // The last cluster can extend beyond the window; its start depends only on the text before it.
      if (end < text.length && index + segment.length === size) break
      yield segment
      length = index + segment.length
    }
    begin += length
    size = length > 0 ? WINDOW : size * 2
  }
}
