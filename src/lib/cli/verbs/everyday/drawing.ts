import {isNumber} from '#lib/cli/output/people.js'
import {cell} from '#lib/cli/terminal/cell.js'
import {sizeText} from '#lib/cli/terminal/units.js'
import {isolated} from '#lib/cli/terminal/width.js'
import type {Node} from './list-places.js'

/**
 * A folder with its subfolders and files as a tree of lines. In a file of its own, because loading the code
 * that measures text slows down the start of other commands.
 */
export function treeDrawing(head: string, nodes: readonly Node[]): string {
  return [cell(head), ...branches(nodes, ''), ''].join('\n')
}

function branches(nodes: readonly Node[], indent: string): string[] {
  return nodes.flatMap((node, index) => {
    const isLast = index === nodes.length - 1
    const line = `${indent}${isLast ? '└── ' : '├── '}${labelOf(node)}`
    return [line, ...branches(node.nodes ?? [], `${indent}${isLast ? '    ' : '│   '}`)]
  })
}

function labelOf({row, isFolder, isAgain}: Node): string {
  const name = isolated(cell(row.title))
  if (isFolder) return `${name}/${isAgain ? '  (see above)' : ''}`
  return isNumber(row.fileSize) ? `${name}  ${sizeText(Number(row.fileSize))}` : name
}
