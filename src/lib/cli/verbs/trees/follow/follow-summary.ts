import {count, sizeText} from '#lib/cli/terminal/units.js'
import {printable} from '#lib/platform/sanitize.js'
import type {ItemProblem} from '#lib/transfer/tree/steps.js'

/** What a round of a follower did. */
export interface RoundTally {
  /** Number of new files. */
  created: number
  /** Number of files with new content. */
  replaced: number
  folders: number
  /** Number of items moved to the trash. */
  removed: number
  /** Bytes of content. */
  bytes: number
  readonly moved: Array<{readonly from: string; readonly to: string}>
  /** Files whose version was saved beside another one, and its title. */
  readonly conflicts: Array<{readonly path: string; readonly title: string}>
  /** Items that were removed here, but not there, because they changed there. */
  readonly kept: string[]
  readonly skipped: ItemProblem[]
  readonly failed: ItemProblem[]
}

/** The record of a round, with the columns of `drv push`. */
export function roundRow(tally: RoundTally, milliseconds: number): Record<string, unknown> {
  const {created, replaced, folders, removed, bytes, skipped, failed, ...others} = tally
  const seconds = Math.round(milliseconds) / 1000
  const counts = {created, replaced, unchanged: 0, folders, removed, bytes, seconds}
  return {...counts, skipped, failed, ...others}
}

/** Maximum number of renames that are listed. */
const LISTED = 5

/** The lines for a round; none if it did nothing. */
export function roundLines(tally: RoundTally): string[] {
  const {created, replaced, folders, removed, bytes, moved, conflicts, kept} = tally
  const files = [created > 0 && `${created} new`, replaced > 0 && `${replaced} changed`].filter(
    Boolean,
  )
  const parts = [
    created + replaced > 0 &&
      `uploaded ${files.join(' and ')} ${created + replaced === 1 ? 'file' : 'files'} (${sizeText(bytes)})`,
    folders > 0 && `created ${count(folders, 'folder')}`,
    moved.length > LISTED && `renamed or moved ${count(moved.length, 'item')}`,
    removed > 0 && `moved ${count(removed, 'item')} to the trash`,
  ].filter(part => part !== false)
  const text = parts.join(', ')
  const renames = moved.length > LISTED ? [] : moved
  return [
    ...(text === '' ? [] : [`${text[0]!.toUpperCase()}${text.slice(1)}.`]),
    ...renames.map(({from, to}) => `Renamed ${printable(from)} to ${printable(to)}.`),
    ...conflicts.map(
      ({path, title}) =>
        `Conflict: ${printable(path)} has changed on both sides. The local version was uploaded as ${printable(title)}.`,
    ),
    ...kept.map(path => `Kept ${printable(path)} in the service: it has changed there.`),
  ]
}
