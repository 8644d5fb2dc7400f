import {entryLines, INDENT, paragraphs, section, textOfLines} from '#lib/cli/terminal/layout.js'
import {wrap} from '#lib/cli/terminal/width.js'
import {broken} from './example-lines.js'
import type {Block, Page} from './pages/page.js'

/** A page of the help for a terminal of so many columns. Pure. */
export function pageHelp({title, blocks}: Page, width: number): string {
  return textOfLines([...wrap(title, width), ...blocks.flatMap(block => blockLines(block, width))])
}

function blockLines(block: Block, width: number): string[] {
  if (typeof block === 'string') return ['', ...paragraphs(block, width)]
  if ('shell' in block) {
    const lines = block.shell.flatMap(line => broken(line, width - INDENT.length))
    return ['', ...lines.map(line => INDENT + line)]
  }
  const lines = entryLines(block.entries, width)
  return block.heading === undefined ? ['', ...lines] : section(block.heading, lines)
}
