import type {Row} from '#lib/cli/output/format.js'
import type {Seen} from './list.js'
import type {Node} from './tree.js'

/** What is in one folder, below its name. */
export interface Section {
  readonly head: string
  readonly rows: readonly Row[]
}

/** Files that were named, and then each folder with what is in it: as `ls` lists them. */
export function sectionsOf(seen: readonly Seen[]): {
  readonly files: readonly Row[]
  readonly sections: readonly Section[]
} {
  return {
    files: seen.flatMap(one => (one.kind === 'file' ? [one.row] : [])),
    sections: seen.flatMap(one => (one.kind === 'nodes' ? sectionsBelow(one.head, one.nodes) : [])),
  }
}

function sectionsBelow(head: string, nodes: readonly Node[]): Section[] {
  const below = nodes.flatMap(({row, nodes: inner}) =>
    inner ? sectionsBelow(String(row.path), inner) : [],
  )
  return [{head, rows: nodes.map(({row}) => row)}, ...below]
}
