import {displayWidth, pad, wrap} from './width.js'

/** How a help is laid out: sections of lines, names beside what they are for. */

/** A line narrower than that has no room for a name and what it is for. */
const LEAST_WIDTH = 40
/** Where more is of no help to the eye. */
const MOST_WIDTH = 100
/** A terminal that does not tell has as many columns as the first ones had. */
const COLUMNS = 80

/** What stands before each line of a section. */
export const INDENT = '  '

/** The width of a help, in columns, for a terminal of so many; `undefined` where there is none. */
export function lineWidth(columns: number | undefined): number {
  return Math.max(LEAST_WIDTH, Math.min(columns || COLUMNS, MOST_WIDTH))
}

/** A name, and the words on it. */
export interface Entry {
  readonly name: string
  readonly words: string
}

/** The share of a line that names may take; a longer one has its words below. */
const SHARE = 0.45

/** Entries in two columns, the words broken within theirs. */
export function entryLines(entries: readonly Entry[], width: number): string[] {
  return entriesLines(entries, width).flat()
}

/**
 * The same, the lines of each entry by themselves. The names of `leading` decide how wide the first
 * column is.
 */
export function entriesLines(
  entries: readonly Entry[],
  width: number,
  leading: readonly Entry[] = entries,
): string[][] {
  const most = Math.floor(width * SHARE)
  const fitting = leading.map(({name}) => displayWidth(name)).filter(columns => columns <= most)
  const names = Math.max(0, ...fitting)
  const indent = ' '.repeat(INDENT.length + names + 2)
  return entries.map(({name, words}) => {
    const lines = words
      .split('\n')
      .flatMap(part => wrap(part, width - indent.length))
      .map(line => indent + line)
    if (displayWidth(name) > names) return [...brokenName(name, width), ...lines]
    const [first = ''] = lines
    const head = INDENT + pad(name, names)
    return [(head + first.slice(head.length)).trimEnd(), ...lines.slice(1)]
  })
}

function brokenName(name: string, width: number): string[] {
  return wrap(name, width - INDENT.length).map((line, at) => INDENT.repeat(at === 0 ? 1 : 2) + line)
}

/** Words one after the other, in as many lines as it takes. */
export function indented(text: string, width: number): string[] {
  return wrap(text, width - INDENT.length).map(line => INDENT + line)
}

/** Paragraphs, which an empty line parts. */
export function paragraphs(text: string, width: number): string[] {
  return text
    .split('\n\n')
    .flatMap((paragraph, at) => [...(at === 0 ? [] : ['']), ...indented(paragraph, width)])
}

/** Lines below their title, with an empty one before; nothing where there are none. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines]
}

/** The lines as they are written. */
export function textOfLines(lines: readonly string[]): string {
  return lines.map(line => `${line}\n`).join('')
}
