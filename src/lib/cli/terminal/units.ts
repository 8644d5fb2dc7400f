import {printable} from '#lib/platform/sanitize.js'
import {sizeText} from '#lib/platform/size-text.js'
import type {Tally} from '#lib/transfer/tree/steps.js'

export {sizeText}

/** Formats sizes, times, counts and the results of `drv push` and `drv pull`. */

/** `42 %`; 100 % only when complete. */
export function percentText(done: number, total: number): string {
  return `${percentOf(done, total)} %`
}

/** The percentage of `total` that is done, rounded down. `total` is above 0. */
export function percentOf(done: number, total: number): number {
  return Math.floor((Math.min(done, total) / total) * 100)
}

/** `3.1 s`, `2 min 5 s` */
export function timeText(milliseconds: number): string {
  const seconds = milliseconds / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

/** `1 file`, `2 files` */
export function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}

/** The words of a transfer in one direction. */
const DIRECTIONS = {
  push: {base: 'upload', past: 'Uploaded', trash: 'the trash'},
  pull: {base: 'download', past: 'Downloaded', trash: '.drv-trash'},
} as const

export type Direction = keyof typeof DIRECTIONS

/**
 * One line: `Uploaded 21 files (1.4 MiB) and created 3 folders in 0.8 s; 5 unchanged, 1 moved to the trash.`, or
 * `Nothing to upload; 5 unchanged.`. Counts of zero are left out. `isEarly`: the run was stopped.
 */
export function summaryLine(
  direction: Direction,
  tally: Tally,
  milliseconds: number,
  isEarly = false,
): string {
  const {bytes, folders, unchanged, removed, skipped, failed} = tally
  const {base, past, trash} = DIRECTIONS[direction]
  const files = filesText(tally)
  const done = [
    ...(files === '' ? [] : [`${past} ${files} (${sizeText(bytes)})`]),
    ...(folders === 0
      ? []
      : [`${files === '' ? 'Created' : 'created'} ${count(folders, 'folder')}`]),
  ]
  const nothing = isEarly || failed.length > 0 ? `Nothing ${base}ed` : `Nothing to ${base}`
  const time = ` in ${timeText(milliseconds)}`
  const rest = [
    [unchanged, 'unchanged'],
    [removed, `moved to ${trash}`],
    [skipped.length, 'skipped'],
    [failed.length, 'failed'],
  ] as const
  const others = rest.filter(([number]) => number > 0).map(one => one.join(' '))
  const first = done.length > 0 ? done.join(' and ') + time : nothing
  return `${[first, others.join(', ')].filter(Boolean).join('; ')}.`
}

/** `3 files`, `3 changed files`, `2 new and 1 changed files`; nothing for none. */
function filesText({created, replaced}: Pick<Tally, 'created' | 'replaced'>): string {
  if (replaced === 0) return created === 0 ? '' : count(created, 'file')
  return `${created === 0 ? '' : `${created} new and `}${count(replaced, 'changed file')}`
}

/** The same for programs. */
export function summaryRecord(tally: Tally, milliseconds: number): Record<string, unknown> {
  return {...tally, seconds: Math.round(milliseconds) / 1000}
}

/** The columns of that. */
export const SUMMARY_COLUMNS: readonly string[] = [
  ...['created', 'replaced', 'unchanged', 'folders', 'removed', 'bytes', 'seconds'],
  ...['skipped.path', 'skipped.reason', 'failed.path', 'failed.reason'],
]

/** `a/b.txt: why` */
export function problemLine(path: string, reason: string): string {
  return `${printable(path)}: ${printable(reason)}`
}
