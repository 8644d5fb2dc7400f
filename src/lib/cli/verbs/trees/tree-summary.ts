import type {Context} from '#lib/cli/context/context.js'
import {resultLine} from '#lib/cli/run/change-results.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {count, type Direction, summaryLine} from '#lib/cli/terminal/units.js'
import type {Page} from '#lib/client/client.js'
import type {Excluded} from '#lib/transfer/tree/entries.js'
import type {Tally} from '#lib/transfer/tree/steps.js'
import {excludedText} from './rules.js'

/** A transferred file. */
export interface Transferred {
  /** Its path, relative to the transferred folder. */
  readonly path: string
  readonly record: Page | undefined
  /** The destination of the command, as typed. */
  readonly to: string
}

/**
 * The summary of a push or a pull: for a single file its name, size, destination and ID, otherwise the counts. `early`:
 * the run was stopped.
 */
export function treeSummary(
  direction: Direction,
  tally: Tally,
  milliseconds: number,
  last: Transferred | 'early' | undefined,
): string {
  const {created, replaced, folders, unchanged, removed, skipped, failed, bytes} = tally
  const others = folders + unchanged + removed + skipped.length + failed.length
  if (!last || last === 'early' || created + replaced !== 1 || others > 0) {
    return summaryLine(direction, tally, milliseconds, last === 'early')
  }
  const {path, record, to} = last
  const action = direction === 'push' ? 'upload' : 'download'
  const change = {action, thing: path, to, extent: {files: 1, folders: 0, bytes}} as const
  return resultLine(change, record, false).trimEnd()
}

/** The error of a run with failures. */
export function partialFailure({failed, skipped, ...counts}: Tally, resumes?: false): CommandError {
  const {folders, created, replaced, unchanged, removed} = counts
  const words = [
    `${count(failed.length, 'item')} failed`,
    ...(skipped.length > 0
      ? [`${skipped.length} ${skipped.length === 1 ? 'was' : 'were'} skipped`]
      : []),
  ].join(', ')
  if (folders + created + replaced + unchanged + removed === 0) {
    return new CommandError('partial', `${words}.`)
  }
  const hint =
    resumes === false ? 'Run the same command again.' : 'To retry, run the same command again.'
  return new CommandError('partial', `${words}; the rest succeeded.`, hint)
}

export function printExcluded({note}: Context, leftOut: Excluded): void {
  const text = excludedText(leftOut)
  if (text !== '') note(`Excluded: ${text}.`)
}
