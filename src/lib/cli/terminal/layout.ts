import {GAP} from './column-widths.js'
import {displayWidth, pad, wrap} from './width.js'

/** Lays out text for people: columns, names beside descriptions, sections. Pure. */

/** The minimum width, in columns; a narrower line has no room for a name and its description. */
const LEAST_WIDTH = 40
/** The maximum width, in columns; longer lines are hard to read. */
const MOST_WIDTH = 100
/** The width, in columns, of a terminal that does not report one. */
const COLUMNS = 80

/** The indentation of a section. */
export const INDENT = '  '

/** The width of help, in columns, for a terminal of `columns`; `undefined` without a terminal. */
export function lineWidth(columns: number | undefined): number {
  return Math.max(LEAST_WIDTH, Math.min(columns || COLUMNS, MOST_WIDTH))
}

/** The width, in terminal columns, of each column of the rows. */
export function neededWidths(rows: ReadonlyArray<readonly string[]>): number[] {
  return (rows[0] ?? []).map((_, column) =>
    rows.reduce((most, row) => Math.max(most, displayWidth(row[column] ?? '')), 0),
  )
}

/** Aligns rows to columns of these widths; a column of width 0 is omitted. */
export function alignedLines(
  rows: ReadonlyArray<readonly string[]>,
  widths: readonly number[] = neededWidths(rows),
): string[] {
  return rows.map(row => {
    const cells = row.flatMap((cell, at) => (widths[at] === 0 ? [] : [pad(cell, widths[at]!)]))
    return cells.join(' '.repeat(GAP)).trimEnd()
  })
}

/** Indents lines to a column; the first is beside `head` if that is short enough, else below. */
export function hanging(head: string, lines: readonly string[], column: number): string[] {
  const indent = ' '.repeat(column)
  const isBeside = displayWidth(head) <= column
  const [first = '', ...more] = isBeside ? lines : ['', ...lines]
  const start = isBeside ? pad(head, column) + first : head
  return [start, ...more.map(line => indent + line)].map(line => line.trimEnd())
}

/** A name and its description. */
export interface LabeledText {
  readonly name: string
  readonly words: string
}

/** The share of a line for names; a longer name has its description below. */
const SHARE = 0.45

/** Entries in two columns, with wrapped descriptions. */
export function entryLines(entries: readonly LabeledText[], width: number): string[] {
  return entriesLines(entries, width).flat()
}

/** Like `entryLines`, grouped by entry. The names of `leading` decide the width of the first column. */
export function entriesLines(
  entries: readonly LabeledText[],
  width: number,
  leading: readonly LabeledText[] = entries,
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

/** Wraps and indents text. */
export function wrapIndented(text: string, width: number): string[] {
  return wrap(text, width - INDENT.length).map(line => INDENT + line)
}

/** Wraps and indents paragraphs; an empty line separates them. */
export function paragraphs(text: string, width: number): string[] {
  return text
    .split('\n\n')
    .flatMap((paragraph, at) => [...(at === 0 ? [] : ['']), ...wrapIndented(paragraph, width)])
}

/** An empty line, the title, and the lines; nothing without lines. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines]
}

/** Joins lines; each ends with a line feed. */
export function textOfLines(lines: readonly string[]): string {
  return lines.map(line => `${line}\n`).join('')
}
