import {FOLDER_TYPE} from '#lib/api/wire.js'
import {picked} from '#lib/cli/output/columns.js'
import {PATH_COLUMN} from '#lib/cli/output/columns-flag.js'
import type {Row} from '#lib/cli/output/format.js'
import type {Page} from '#lib/client/client.js'

/** The rows by which the everyday verbs show files, and their order. */

/** What is asked of each thing in a folder. */
const FIELDS = ['id', 'title', 'mimeType', 'fileSize', 'modifiedDate']
const LONG_FIELDS = [...FIELDS, 'ownerNames', 'shared']

/** What rows in a pipe have, in this order, whatever else the command line says. */
export const COLUMNS = [PATH_COLUMN, 'mimeType', 'fileSize', 'modifiedDate', 'id']

/** Which fields rows have. */
export interface RowFields {
  /** What rows outside JSON show, in order. */
  readonly columns: readonly string[]
  /** What is asked of each record, as paths. */
  readonly asked: readonly string[]
}

/** The fields of rows; `columns` are those that the command line names, if any. */
export function rowFieldsFor({
  columns,
  isLong = false,
  more = [],
  hidden = [],
}: {
  readonly columns?: readonly string[]
  readonly isLong?: boolean
  /** Further fields, shown behind the others. */
  readonly more?: readonly string[]
  /** Fields that only the order of the rows needs. */
  readonly hidden?: readonly string[]
}): RowFields {
  const asked = [...(isLong ? LONG_FIELDS : FIELDS), ...more]
  const named = (columns ?? []).filter(column => column !== PATH_COLUMN)
  return {
    columns: [...COLUMNS, ...(isLong ? ['ownerNames', 'shared'] : []), ...more],
    asked: [...new Set([...asked, ...hidden, ...named])],
  }
}

/** A record as a row: what was asked for, and its path first. */
export function rowOf(record: Page, path: string, {asked}: RowFields): Row {
  return {[PATH_COLUMN]: path, ...picked(record, asked)}
}

export function isFolder({mimeType}: Page): boolean {
  return mimeType === FOLDER_TYPE
}

let collator: Intl.Collator | undefined

/** By title as people sort: capitals and accents last, numbers by their value; equal ones by their ID. */
export function byName(one: Row, other: Row): number {
  return (
    natural(String(one.title), String(other.title)) || (String(one.id) < String(other.id) ? -1 : 1)
  )
}

/** By path in the same way, name by name, so that what is in a folder follows it. */
export function byPath(one: Row, other: Row): number {
  const ways = [one, other].map(row => String(row[PATH_COLUMN]).split('/'))
  const [here = [], there = []] = ways
  for (let at = 0; at < Math.min(here.length, there.length); at++) {
    const order = natural(here[at]!, there[at]!)
    if (order !== 0) return order
  }
  return here.length - there.length || byName(one, other)
}

function natural(one: string, other: string): number {
  collator ??= new Intl.Collator('en', {numeric: true})
  return collator.compare(one, other)
}
