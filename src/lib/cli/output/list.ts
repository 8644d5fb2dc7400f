import {inGroups} from '../../transfer/tree/groups.js'
import {cell, safeJson, shortTime} from './cell.js'
import {type Column, listColumns} from './columns.js'
import type {Rendering, Row} from './render.js'
import {tableText, tableWidths} from './table.js'

/** Writes a list piece by piece while its pages arrive. */
export interface ListWriter {
  rows(records: readonly Row[]): Promise<void>
  /** Ends the list; `rest` are the fields of the list's record beside its items. */
  end(rest?: Row): Promise<void>
}

type Print = (text: string) => Promise<void>

/** A writer for a format: a table, rows with tabs and without a header, JSON, or a record a line. */
export function listWriter({format, io, columns}: Rendering, print: Print): ListWriter {
  switch (format) {
    case 'json':
      return jsonWriter(print)
    case 'ndjson':
      return lineWriter(print, jsonLines)
    case 'tsv':
      return lineWriter(print, tsvRows(columns))
    case 'table':
      return lineWriter(print, tableRows(io.width, columns), TABLE_PIECE)
  }
}

/** A list that is there as a whole, as text; as JSON an array. */
export function renderRows(records: readonly Row[], {format, io, columns}: Rendering): string {
  if (format === 'json') return `${safeJson(records, 2)}\n`
  if (format === 'ndjson') return jsonLines(records)
  return format === 'tsv' ? tsvRows(columns)(records) : tableRows(io.width, columns)(records)
}

/** Records that are written together, so that no page is in memory as text as well. */
const PIECE = 100
/** Of a table those that decide its widths, as many as a page has. */
const TABLE_PIECE = 1000

function lineWriter(
  print: Print,
  text: (records: readonly Row[]) => string,
  size = PIECE,
): ListWriter {
  return {
    async rows(records) {
      for (const some of inGroups(records, size)) await print(text(some))
    },
    end: async () => {},
  }
}

function jsonLines(records: readonly Row[]): string {
  return records.map(record => `${safeJson(record)}\n`).join('')
}

function tsvRows(asked: readonly string[] | undefined): (records: readonly Row[]) => string {
  let columns: readonly Column[] | undefined
  return records => {
    columns ??= records[0] && listColumns(records[0], asked)
    return cells(records, columns)
      .map(row => `${row.join('\t')}\n`)
      .join('')
  }
}

/** The first page decides the columns and their widths, so that all pages are one table. */
function tableRows(
  width: number,
  asked: readonly string[] | undefined,
): (records: readonly Row[]) => string {
  let columns: readonly Column[] | undefined
  let widths: readonly number[] | undefined
  return records => {
    columns ??= records[0] && listColumns(records[0], asked)
    const rows = cells(records, columns).map(row => row.map(shortTime))
    if (!columns || widths) return tableText(rows, widths ?? [])
    const all = [columns.map(({title}) => title.toUpperCase()), ...rows]
    widths = tableWidths(all, width, column => !columns?.[column]?.isWhole)
    return tableText(all, widths)
  }
}

function cells(records: readonly Row[], columns: readonly Column[] = []): string[][] {
  return records.map(record => columns.map(({value}) => cell(value(record))))
}

const OPENING = '{\n  "items": ['
const CLOSING = '\n  ]\n}'

/**
 * One document: the service's own list record with the items of all pages. It is closed properly
 * even when a later page fails, as long as `end` is called. Nothing is written before.
 */
function jsonWriter(print: Print): ListWriter {
  let isOpen = false
  return {
    async rows(records) {
      for (const items of inGroups(records, PIECE)) {
        const list = safeJson({items}, 2).slice(OPENING.length, -CLOSING.length)
        await print(`${isOpen ? ',' : OPENING}${list}`)
        isOpen = true
      }
    },
    async end(rest = {}) {
      const fields = Object.entries(rest)
        .map(([name, value]) => `,${safeJson({[name]: value}, 2).slice(1, -2)}`)
        .join('')
      await print(`${isOpen ? '\n  ' : OPENING}]${fields}\n}\n`)
    },
  }
}
