import {exact} from '#lib/cli/terminal/cell.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {breaksLine, printable} from '#lib/platform/sanitize.js'
import {reach} from './columns.js'
import type {Layout, OutputFormat, Row} from './format.js'

/** What names a record: the first of these that it has. */
const NAMES = ['id', 'ids', 'key', 'fileId', 'driveId', 'client_id', 'login', 'profile'] as const

/**
 * What names each record, a line each: its ID, and where it has none its key or the like. One value is
 * one line: what reads it must never take a part of a name for another thing.
 */
export const idsFormat: OutputFormat = {
  isStructured: false,
  fields: NAMES,
  record: (record, layout) => lines([record], layout),
  records: lines,
  list: layout => ({rows: records => lines(records, layout)}),
}

function lines(records: readonly Row[], {columns: asked}: Layout): string {
  return records.flatMap(record => namesOf(record, asked)).join('')
}

/** Throws `UsageError` for a record that nothing names, or whose name is no single line. */
function namesOf(record: Row, asked: readonly string[] = NAMES): string[] {
  const value = asked.map(path => reach(record, path)).find(found => exact(found) !== '')
  if (value === undefined) {
    throw new UsageError(
      'What came has no ID to write with --format ids.',
      'Another --format shows it; --columns names what to write instead of an ID.',
    )
  }
  return [value].flat().map(name => lineOf(exact(name)))
}

function lineOf(text: string): string {
  if (!breaksLine(text)) return `${text}\n`
  throw new UsageError(
    `"${printable(text, 80)}" contains a line break, so --format ids cannot write it as one line.`,
    'Use --format ndjson, which programs and `drv ... -` read as well, or --columns id.',
  )
}
