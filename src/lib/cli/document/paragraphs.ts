import {alignedLines, hanging} from '#lib/cli/terminal/layout.js'
import {displayWidth, isolated, wrap} from '#lib/cli/terminal/width.js'
import {printable} from '#lib/platform/sanitize.js'

/** A table entry: short cells, a text, and optionally more text below. */
export interface ParagraphEntry {
  readonly cells: readonly string[]
  readonly words: string
  readonly below?: Paragraph
}

/** A text that can be laid out as lines of at most `width` columns. */
export type Paragraph = (width: number) => readonly string[]

/** Maximum number of characters of a text: enough for whole pages, but not unlimited. */
const LONGEST = 10_000

const INDENT = 4

/** A value of a document as one printable line; '' for anything but text, numbers and booleans. */
export function plainParagraph(value: unknown): string {
  if (typeof value === 'string') return printable(value, LONGEST)
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** A label and a text, wrapped and indented after the label; empty if the text is empty. */
export function labeledParagraph(name: string, words: string): Paragraph {
  if (words === '') return () => []
  const head = name && `${name} `
  const column = displayWidth(head)
  return width => hanging(head, broken(words, width - column), column)
}

/** Labels and texts in two columns; those with an empty text are left out. */
export function factList(all: ReadonlyArray<readonly [name: string, words: string]>): Paragraph {
  const said = all.filter(([, words]) => words !== '')
  const widest = Math.max(0, ...said.map(([name]) => name.length))
  return joinParagraphs(
    said.map(([name, words]) => labeledParagraph(name.padEnd(widest + 1), words)),
  )
}

export function joinParagraphs(paragraphs: readonly Paragraph[]): Paragraph {
  return width => paragraphs.flatMap(paragraph => paragraph(width))
}

/** Paragraphs separated by empty lines; empty ones are left out. */
export function separateParagraphs(paragraphs: readonly Paragraph[]): Paragraph {
  return width => {
    const all = paragraphs.map(paragraph => paragraph(width)).filter(({length}) => length > 0)
    return all.flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]))
  }
}

/** A paragraph below a title; empty if the paragraph is empty. */
export function titledParagraph(title: string, paragraph: Paragraph): Paragraph {
  return width => {
    const lines = paragraph(width)
    return lines.length === 0 ? [] : [title, ...lines]
  }
}

/** A paragraph indented by four columns. */
export function indentParagraph(paragraph: Paragraph): Paragraph {
  return width => paragraph(width - INDENT).map(line => line && ' '.repeat(INDENT) + line)
}

/**
 * Entries with aligned cells. If some texts do not fit beside the cells, all texts go below their
 * cells; with `alone`, only those that do not fit.
 */
export function entryTable(all: readonly ParagraphEntry[], {alone = false} = {}): Paragraph {
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
        ...(isBeside ? [] : indentParagraph(labeledParagraph('', words))(width)),
        ...(below ? indentParagraph(below)(width) : []),
      ]
    })
  }
}

/** Wraps a text; not for pipes, whose readers accept lines of any length. */
function broken(words: string, width: number): readonly string[] {
  return width === Infinity ? [words] : wrap(words, Math.max(1, width))
}
