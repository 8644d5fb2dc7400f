import {sharedRows} from '#lib/cli/terminal/align.js'
import {displayWidth, wrap} from '#lib/cli/terminal/width.js'
import {printable} from '#lib/platform/sanitize.js'

/** One thing among others: a line of short words about it, what it is, and more of it below. */
export interface Entry {
  readonly cells: readonly string[]
  readonly words: string
  readonly below?: Paragraph
}

/** A text for so many columns; each line ends with a line break. */
export type Paragraph = (width: number) => string

/** What an explanation is cut to: whole pages are shown, but nothing without end. */
const LONGEST = 10_000

const INDENT = 4

/** What a document says, fit to be shown: one line, whatever is in it; '' for what is no text. */
export function plain(value: unknown): string {
  if (typeof value === 'string') return printable(value, LONGEST)
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** Words with a name before them, on as many lines as they need. */
export function hanging(name: string, words: string): Paragraph {
  return width => {
    const head = name && `${name} `
    const [first = '', ...more] = lines(words, width - displayWidth(head))
    const indent = ' '.repeat(displayWidth(head))
    return [head + first, ...more.map(line => indent + line)]
      .map(line => `${line.trimEnd()}\n`)
      .join('')
  }
}

/** Facts with their names before them; those that say nothing are left out. */
export function facts(all: ReadonlyArray<readonly [name: string, words: string]>): Paragraph {
  const said = all.filter(([, words]) => words !== '')
  const widest = Math.max(0, ...said.map(([name]) => name.length))
  return together(said.map(([name, words]) => hanging(name.padEnd(widest + 1), words)))
}

export function together(paragraphs: readonly Paragraph[]): Paragraph {
  return width => paragraphs.map(paragraph => paragraph(width)).join('')
}

/** Paragraphs with an empty line between two; those that are empty are left out. */
export function apart(paragraphs: readonly Paragraph[]): Paragraph {
  return width =>
    paragraphs
      .map(paragraph => paragraph(width))
      .filter(Boolean)
      .join('\n')
}

/** A paragraph under its name; nothing where that has nothing. */
export function titled(title: string, paragraph: Paragraph): Paragraph {
  return width => {
    const text = paragraph(width)
    return text && `${title}\n${text}`
  }
}

/** A paragraph further to the right. */
export function indented(paragraph: Paragraph): Paragraph {
  return width =>
    paragraph(width - INDENT)
      .split('\n')
      .map(line => line && ' '.repeat(INDENT) + line)
      .join('\n')
}

/**
 * Entries, their cells in aligned columns. Where the words do not fit beside the cells of all, they
 * stand below them; with `alone` each entry has it as it fits itself.
 */
export function entries(all: readonly Entry[], {alone = false} = {}): Paragraph {
  const heads = linesOf(all.map(({cells}) => cells))
  const whole = linesOf(all.map(({cells, words}) => [...cells, words]))
  return width => {
    const fits = (line: string) => displayWidth(line) <= width
    const areBeside = whole.every(fits)
    return all
      .map(({words, below}, index) => {
        const [head = '', line = ''] = [heads[index], whole[index]]
        const isBeside = areBeside || (alone && fits(line))
        const rest = lines(words, width - INDENT).map(part => ' '.repeat(INDENT) + part)
        const shown = isBeside ? [line] : [...(fits(head) ? [head] : wrap(head, width)), ...rest]
        return shown.map(part => `${part}\n`).join('') + (below ? indented(below)(width) : '')
      })
      .join('')
  }
}

/** Rows in aligned columns, however wide. */
function linesOf(rows: ReadonlyArray<readonly string[]>): readonly string[] {
  return sharedRows(rows, Infinity).split('\n')
}

/** Whatever reads a pipe takes a line of any length. */
function lines(words: string, width: number): readonly string[] {
  return width === Infinity ? [words].filter(Boolean) : wrap(words, Math.max(1, width))
}
