import {alignedLines, hanging} from '#lib/cli/terminal/layout.js'
import {displayWidth, isolated, wrap} from '#lib/cli/terminal/width.js'
import {printable} from '#lib/platform/sanitize.js'

/** One thing among others: a line of short words about it, what it is, and more of it below. */
export interface Entry {
  readonly cells: readonly string[]
  readonly words: string
  readonly below?: Paragraph
}

/** A text as lines of so many columns. */
export type Paragraph = (width: number) => readonly string[]

/** What an explanation is cut to: whole pages are shown, but nothing without end. */
const LONGEST = 10_000

const INDENT = 4

/** What a document says, fit to be shown: one line, whatever is in it; '' for what is no text. */
export function plain(value: unknown): string {
  if (typeof value === 'string') return printable(value, LONGEST)
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** Words with a name before them, on as many lines as they need; nothing without words. */
export function named(name: string, words: string): Paragraph {
  if (words === '') return () => []
  const head = name && `${name} `
  const column = displayWidth(head)
  return width => hanging(head, broken(words, width - column), column)
}

/** Facts with their names before them; those that say nothing are left out. */
export function facts(all: ReadonlyArray<readonly [name: string, words: string]>): Paragraph {
  const said = all.filter(([, words]) => words !== '')
  const widest = Math.max(0, ...said.map(([name]) => name.length))
  return together(said.map(([name, words]) => named(name.padEnd(widest + 1), words)))
}

export function together(paragraphs: readonly Paragraph[]): Paragraph {
  return width => paragraphs.flatMap(paragraph => paragraph(width))
}

/** Paragraphs with an empty line between two; those that are empty are left out. */
export function apart(paragraphs: readonly Paragraph[]): Paragraph {
  return width => {
    const all = paragraphs.map(paragraph => paragraph(width)).filter(({length}) => length > 0)
    return all.flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]))
  }
}

/** A paragraph under its name; nothing where that has nothing. */
export function titled(title: string, paragraph: Paragraph): Paragraph {
  return width => {
    const lines = paragraph(width)
    return lines.length === 0 ? [] : [title, ...lines]
  }
}

/** A paragraph further to the right. */
export function indented(paragraph: Paragraph): Paragraph {
  return width => paragraph(width - INDENT).map(line => line && ' '.repeat(INDENT) + line)
}

/**
 * Entries, their cells in aligned columns. Where the words do not fit beside the cells of all, they
 * stand below them; with `alone` each entry has it as it fits itself.
 */
export function entries(all: readonly Entry[], {alone = false} = {}): Paragraph {
  const heads = alignedLines(all.map(({cells}) => cells.map(isolated)))
  const whole = alignedLines(all.map(({cells, words}) => [...cells, words].map(isolated)))
  return width => {
    const fits = (line: string) => displayWidth(line) <= width
    const areBeside = whole.every(fits)
    return all.flatMap(({words, below}, at) => {
      const [head, line] = [heads[at]!, whole[at]!]
      const isBeside = areBeside || (alone && fits(line))
      return [
        ...(isBeside ? [line] : fits(head) ? [head] : wrap(head, width)),
        ...(isBeside ? [] : indented(named('', words))(width)),
        ...(below ? indented(below)(width) : []),
      ]
    })
  }
}

/** Whatever reads a pipe takes a line of any length. */
function broken(words: string, width: number): readonly string[] {
  return width === Infinity ? [words] : wrap(words, Math.max(1, width))
}
