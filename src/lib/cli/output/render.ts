import type {Io} from '../command/io.js'
import {cell, safeJson} from './cell.js'
import {recordLines} from './columns.js'
import type {Format} from './format.js'
import {displayWidth, fit, pad} from './width.js'

export type Row = Readonly<Record<string, unknown>>

export interface Rendering {
  readonly format: Format
  readonly io: Pick<Io, 'width'>
  /** Fields to show outside JSON; without them the record's kind decides. */
  readonly columns?: readonly string[]
}

/** One record as text: names and values (aligned, or with a tab between), or JSON. */
export function renderRecord(record: Row, {format, io, columns}: Rendering): string {
  if (format === 'json') return `${safeJson(record, 2)}\n`
  if (format === 'ndjson') return `${safeJson(record)}\n`
  const lines = recordLines(record, columns).map(([name, value]) => [name, cell(value)] as const)
  if (format === 'tsv') return lines.map(([name, value]) => `${name}\t${value}\n`).join('')
  const shown = lines.filter(([, value]) => value !== '')
  const widest = Math.max(0, ...shown.map(([name]) => displayWidth(name)))
  return shown
    .map(([name, value]) => `${pad(name, widest)}  ${fit(value, io.width - widest - 2)}\n`)
    .join('')
}
