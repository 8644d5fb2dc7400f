import {FOLDER_TYPE} from '#lib/api/wire.js'
import {pickColumns} from '#lib/cli/output/columns.js'
import {PATH_COLUMN} from '#lib/cli/output/columns-flag.js'
import type {Row} from '#lib/cli/output/format.js'
import type {Page} from '#lib/client/client.js'

/** The rows of files in the output of the everyday verbs, and their order. */

/** Fields requested for each item in a folder. */
const FIELDS = ['id', 'title', 'mimeType', 'fileSize', 'modifiedDate']
const LONG_FIELDS = [...FIELDS, 'ownerNames', 'shared']

/** Columns that every row in a pipe begins with, so that scripts can rely on their positions. */
export const COLUMNS = [PATH_COLUMN, 'mimeType', 'fileSize', 'modifiedDate', 'id']

/** Which fields rows have. */
export interface RowFields {
  /** Columns of rows outside JSON, in order. */
  readonly columns: readonly string[]
  /** Fields to request for each record, as dotted paths. */
  readonly requested: readonly string[]
}

/** The fields of rows; `columns` are the values of `--columns`. */
export function rowFieldsFor({
  columns,
  isLong = false,
  more = [],
  hidden = [],
}: {
  readonly columns?: readonly string[]
  readonly isLong?: boolean
  /** Further fields, shown after the others. */
  readonly more?: readonly string[]
  /** Fields needed only for sorting. */
  readonly hidden?: readonly string[]
}): RowFields {
  const requested = [...(isLong ? LONG_FIELDS : FIELDS), ...more]
  const named = (columns ?? []).filter(column => column !== PATH_COLUMN)
  return {
    columns: [...COLUMNS, ...(isLong ? ['ownerNames', 'shared'] : []), ...more],
    requested: [...new Set([...requested, ...hidden, ...named])],
  }
}

/** A record as a row: its path first, then the requested fields. */
export function rowOf(record: Page, path: string, {requested}: RowFields): Row {
  return {[PATH_COLUMN]: path, ...pickColumns(record, requested)}
}

export function isFolder({mimeType}: Page): boolean {
  return mimeType === FOLDER_TYPE
}

let collator: Intl.Collator | undefined

/** Compares titles in natural order (numbers by value, then case and accents), equal titles by ID. */
export function byName(one: Row, other: Row): number {
  return (
    natural(String(one.title), String(other.title)) || (String(one.id) < String(other.id) ? -1 : 1)
  )
}

/** Compares paths in natural order, name by name, so that the contents of a folder follow it. */
export function byPath(one: Row, other: Row): number {
  const paths = [one, other].map(row => String(row[PATH_COLUMN]).split('/'))
  const [left = [], right = []] = paths
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const order = natural(left[at]!, right[at]!)
    if (order !== 0) return order
  }
  return left.length - right.length || byName(one, other)
}

function natural(one: string, other: string): number {
  collator ??= new Intl.Collator('en', {numeric: true})
  return collator.compare(one, other)
}
