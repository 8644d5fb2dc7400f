import type {OutputFormat} from './format.js'
import {jsonFormat, ndjsonFormat} from './json.js'
import {csvFormat, idsFormat, tsvFormat} from './row-formats.js'
import {yamlFormat} from './yaml.js'

/**
 * For people: aligned columns below a header; a single record as a sheet of names and values. What
 * lays them out is loaded when there is something to show.
 */
export const tableFormat: OutputFormat = {
  isStructured: false,
  isForPeople: true,
  record: async (record, layout) => (await import('./sheet.js')).sheet(record, layout),
  records: async (records, layout) => (await import('./table-rows.js')).tableRows(layout)(records),
  list: layout => {
    const loading = import('./table-rows.js').then(({tableRows}) => tableRows(layout))
    // As many as a page has decide the widths.
    return {pieceSize: 1000, rows: async records => (await loading)(records)}
  },
}

/** All formats by name (design: a table for people, rows for a pipe, JSON for programs). */
export const formats = {
  table: tableFormat,
  tsv: tsvFormat,
  csv: csvFormat,
  json: jsonFormat,
  ndjson: ndjsonFormat,
  yaml: yamlFormat,
  ids: idsFormat,
} as const satisfies Record<string, OutputFormat>

export type FormatName = keyof typeof formats

/** The format in force: what was asked for, else what suits whoever reads. */
export function chooseFormat(asked: FormatName | undefined, isTerminal: boolean): FormatName {
  return asked ?? (isTerminal ? 'table' : 'tsv')
}

/** Whether this is the name of a format for programs. */
export function isStructured(name: string | undefined): boolean {
  return (
    name !== undefined && Object.hasOwn(formats, name) && formats[name as FormatName].isStructured
  )
}
