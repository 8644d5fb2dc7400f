import {printable} from '#lib/platform/sanitize.js'
import type {Tally} from '#lib/transfer/tree/steps.js'

/** What is told at the end of `drv push` and `drv pull`. */

/** `4.2 MiB` */
export function sizeText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** power
  return `${power === 0 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}

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

/** One line: `12 new and 3 changed files, 4.2 MiB in 3.1 s; 5 unchanged, 2 folders made.` */
export function summaryLine(tally: Tally, milliseconds: number): string {
  const {created, replaced, bytes, folders, unchanged, removed, skipped, failed} = tally
  const moved = `${created} new and ${count(replaced, 'changed file')}, ${sizeText(bytes)} in ${timeText(milliseconds)}`
  const rest = [
    [unchanged, `${unchanged} unchanged`],
    [folders, `${count(folders, 'folder')} made`],
    [removed, `${removed} put into the trash`],
    [skipped.length, `${skipped.length} left out`],
    [failed.length, `${failed.length} failed`],
  ] as const
  const told = rest.filter(([number]) => number > 0).map(([, text]) => text)
  return `${[moved, told.join(', ')].filter(Boolean).join('; ')}.`
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
