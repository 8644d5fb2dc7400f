import {safeJson} from '#lib/platform/sanitize.js'
import type {OutputFormat, Row} from './format.js'

/** A record a line, each a JSON document. */
export const ndjsonFormat: OutputFormat = {
  isStructured: true,
  record: line,
  records: lines,
  list: () => ({rows: lines}),
}

function line(record: Row): string {
  return `${safeJson(record)}\n`
}

function lines(records: readonly Row[]): string {
  return records.map(line).join('')
}
