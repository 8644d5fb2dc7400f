import {GAP} from './column-widths.js'
import {displayWidth, pad, wrap} from './width.js'

/** How text is laid out for people: columns, names beside what they are for, sections of lines. Pure. */

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

/** The columns of the terminal that each column of some rows needs. */
export function neededWidths(rows: ReadonlyArray<readonly string[]>): number[] {
  return (rows[0] ?? []).map((_, column) =>
    rows.reduce((most, row) => Math.max(most, displayWidth(row[column] ?? '')), 0),
  )
}

/** Rows as lines with columns of these widths, into which they fit; one of width 0 is left out. */
export function alignedLines(
  rows: ReadonlyArray<readonly string[]>,
  widths: readonly number[] = neededWidths(rows),
): string[] {
  return rows.map(row => {
    const cells = row.flatMap((cell, at) => (widths[at] === 0 ? [] : [pad(cell, widths[at]!)]))
    return cells.join(' '.repeat(GAP)).trimEnd()
  })
}

/** Lines from a column on, the first beside `head` where that ends before it, else all below. */
export function hanging(head: string, lines: readonly string[], column: number): string[] {
  const indent = ' '.repeat(column)
  const isBeside = displayWidth(head) <= column
  const [first = '', ...more] = isBeside ? lines : ['', ...lines]
  const start = isBeside ? pad(head, column) + first : head
  return [start, ...more.map(line => indent + line)].map(line => line.trimEnd())
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
  const column = INDENT.length + names + GAP
  return entries.map(({name, words}) => {
    const lines = words.split('\n').flatMap(part => wrap(part, width - column))
    if (displayWidth(name) <= names) return hanging(INDENT + name, lines, column)
    const [head = '', ...more] = wrap(name, width - INDENT.length)
    const rest = more.map(line => INDENT + INDENT + line)
    return [INDENT + head, ...rest, ...lines.map(line => ' '.repeat(column) + line)]
  })
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
