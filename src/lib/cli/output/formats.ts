import type {Format} from './format.js'
import {json} from './json.js'
import {ndjson} from './ndjson.js'
import {table} from './table.js'
import {tsv} from './tsv.js'

/** All formats by name (design: a table for people, rows for a pipe, JSON for programs). */
export const formats = {table, tsv, json, ndjson} as const satisfies Record<string, Format>

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
