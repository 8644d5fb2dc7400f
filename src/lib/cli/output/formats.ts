import type {OutputFormat} from './format.js'
import {jsonFormat, ndjsonFormat} from './json.js'
import {csvFormat, idsFormat, tsvFormat} from './row-formats.js'
import {yamlFormat} from './yaml.js'

/**
 * For people: aligned columns with a header; a single record as a sheet of names and values. The
 * formatters are loaded on first use.
 */
export const tableFormat: OutputFormat = {
  isStructured: false,
  isForPeople: true,
  record: async (record, layout) => (await import('./sheet.js')).sheet(record, layout),
  records: async (records, layout) => (await import('./table-rows.js')).tableRows(layout)(records),
  list: layout => {
    const loading = import('./table-rows.js').then(({tableRows}) => tableRows(layout))
    // One page of records decides the widths.
    return {pieceSize: 1000, rows: async records => (await loading)(records)}
  },
}

/** All formats by name: tables for people, rows for pipes, JSON for programs. */
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

/** The format in effect: the requested one, or table at a terminal and tsv elsewhere. */
export function chooseFormat(asked: FormatName | undefined, isTerminal: boolean): FormatName {
  return asked ?? (isTerminal ? 'table' : 'tsv')
}

/** Whether `name` is a format for programs. */
export function isStructured(name: string | undefined): boolean {
  return (
    name !== undefined && Object.hasOwn(formats, name) && formats[name as FormatName].isStructured
  )
}
