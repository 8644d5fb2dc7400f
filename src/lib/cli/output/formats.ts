import {csvFormat} from './csv.js'
import type {OutputFormat} from './format.js'
import {idsFormat} from './ids.js'
import {jsonFormat} from './json.js'
import {ndjsonFormat} from './ndjson.js'
import {tableFormat} from './table.js'
import {tsvFormat} from './tsv.js'
import {yamlFormat} from './yaml.js'

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
