import type {Layout, ListText, OutputFormat, Row} from '#lib/cli/output/format.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {cell} from '#lib/cli/terminal/cell.js'
import {colorize} from '#lib/cli/terminal/color.js'
import {count, sizeText} from '#lib/cli/terminal/units.js'
import {fit, isolated, pad} from '#lib/cli/terminal/width.js'
import type {ChangeReceiver} from '#lib/follow/follow-options.js'
import type {FollowedChange} from '#lib/follow/interpret.js'
import {createRowStream} from './row-stream.js'

/** Prints changes, each as soon as it is known. */

/** The columns in a pipe, and then those available with `--columns`. */
export const ROW_COLUMNS = ['time', 'kind', 'path', 'who', 'size']
export const FOLLOW_COLUMNS = [...ROW_COLUMNS, 'id', 'from', 'title', 'mimeType', 'changeId']

/** The record of a change. `path` is `id:ID` if a name prevents a path. */
export function changeRow(change: FollowedChange): Row {
  const {time, kinds, path, fileId, who, size, from, title, mimeType, id} = change
  return {
    time,
    kind: kinds.join(','),
    path: path ?? `id:${fileId}`,
    ...(from !== undefined && {from}),
    ...(who !== undefined && {who}),
    ...(size !== undefined && {size}),
    ...{id: fileId, title},
    ...(mimeType && {mimeType}),
    changeId: id,
  }
}

/** The path of a change, or the number of changes, for messages. */
export function changesName(changes: readonly FollowedChange[]): string {
  const [first, second] = changes
  if (!first || second) return count(changes.length, 'change')
  return first.path ?? first.fileId
}

/** Prints each change and waits until it is written. */
export function createRowPrinter(printer: Printer): ChangeReceiver & {stop(): Promise<void>} {
  const rows = createRowStream(printer, printer.output.fields ? undefined : ROW_COLUMNS)
  let last: Promise<void> = Promise.resolve()
  let isStopped = false

  return {
    async accept(change) {
      // The next run delivers later changes.
      if (isStopped) return new Promise(() => undefined)
      last = rows.print(changeRow(change))
      await last.catch(() => undefined)
      return {done: last}
    },
    settle: () => last,
    async stop() {
      isStopped = true
      await rows.end()
    },
  }
}

/** Widths of the columns before the path. */
const WIDTHS = {time: 19, kind: 10, size: 10, who: 20}

/** A table for rows that arrive one by one: fixed widths, and the path last and in full. */
export function streamedTable(output: OutputFormat): OutputFormat {
  return {...output, array: undefined, list: tableText}
}

function tableText({color}: Layout): ListText {
  let isFirst = true
  const tone = color ? 'header' : undefined
  return {
    rows(records) {
      const titles = {time: 'TIME', kind: 'KIND', size: 'SIZE', who: 'BY', path: 'PATH'}
      const header = isFirst ? `${colorize(lineOf(titles), tone)}\n` : ''
      isFirst = false
      return header + records.map(record => `${lineOf(cellsOf(record))}\n`).join('')
    },
  }
}

interface Cells {
  readonly time: string
  readonly kind: string
  readonly size: string
  readonly who: string
  readonly path: string
}

function cellsOf({time, kind, size, who, path, from}: Row): Cells {
  const way = from === undefined ? cell(path) : `${cell(from)} -> ${cell(path)}`
  return {
    time: secondsText(String(time)),
    kind: cell(kind),
    size: size === undefined ? '' : sizeText(Number(size)),
    who: cell(who),
    path: isolated(way),
  }
}

function lineOf({time, kind, size, who, path}: Cells): string {
  return [
    pad(time, WIDTHS.time),
    pad(kind, WIDTHS.kind),
    pad(size, WIDTHS.size, 'before'),
    pad(isolated(fit(who, WIDTHS.who)), WIDTHS.who),
    path,
  ].join('  ')
}

/** `2026-11-21 09:30:05` in the local time zone. */
function secondsText(text: string): string {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) return text
  const two = (number: number) => String(number).padStart(2, '0')
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-')
  return `${date} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`
}
