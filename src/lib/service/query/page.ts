import type {Call} from '../call.js'
import type {Value} from '../store/database.js'
import {type FileRow, SELECT_FILE} from '../store/files.js'
import type {Place} from './corpus.js'
import {
  behind,
  columnOrderSql,
  orderSql,
  type Position,
  positionColumns,
  positionOf,
  type SortKey,
} from './order.js'
import type {Bind} from './sql.js'

/** Where and what to look for, and how what is found is sorted. */
export interface FileSearch extends Place {
  readonly order: readonly SortKey[]
  readonly bind: Bind
}

/** A page of files; `next` says where the one behind it starts, when there is one. */
export interface FilePage {
  readonly rows: readonly FileRow[]
  readonly next?: {readonly behind: Position | null}
}

/**
 * Reads `size` files from `position` on: `null` is the start, anything else comes from a page
 * token. A page of size 0 has no files, but tells whether there are any. The place of a page is
 * that of its last file in the order, so files that come or go meanwhile move no others.
 */
export function readPage(
  call: Pick<Call, 'store' | 'user'>,
  search: FileSearch,
  size: number,
  position: unknown,
): FilePage {
  const {order, condition, parts, bind} = search
  const start = position === null ? 'TRUE' : behind(order, position, bind)
  const user = bind(call.user.id)
  const limit = bind(size + 1)
  const partial = parts.map(
    part => `SELECT * FROM (
      SELECT f.id, ${positionColumns(order)}
      FROM files f LEFT JOIN user_files u ON u.file_id = f.id AND u.user_id = ${user}
      WHERE ${part} AND ${condition} AND ${start}
      ORDER BY ${orderSql(order)} LIMIT ${limit})`,
  )
  const found = call.store.all<FileRow & Record<string, Value>>(
    `WITH page AS MATERIALIZED (
      ${partial.join(' UNION ALL ')} ORDER BY ${columnOrderSql(order)} LIMIT ${limit}
    )
    SELECT file.*, page.* FROM page CROSS JOIN (${SELECT_FILE}) file ON file.id = page.id
    ORDER BY ${columnOrderSql(order, 'page.')}`,
    search.parameters,
  )
  const rows = found.slice(0, size)
  if (found.length <= size) return {rows}
  const last = rows.at(-1)
  return {rows, next: {behind: last ? positionOf(order, last) : (position as Position | null)}}
}
