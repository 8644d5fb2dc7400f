import type {Call} from '../call.js'
import type {Database, Value} from '../store/database/database.js'
import {type FileRow, SELECT_FILE} from '../store/files/files.js'
import type {Place} from './corpus.js'
import {type Anchor, shortest} from './anchors.js'
import {
  isOpposite,
  type Lane,
  laneAmong,
  laneAmongHeld,
  lanesOf,
  type Slice,
  slicesBehind,
  slicesToEdge,
} from './lanes.js'
import {
  columnOrderSql,
  orderSql,
  type Position,
  positionColumns,
  positionOf,
  readPosition,
  type SortKey,
} from './order.js'
import type {Bind} from './sql.js'

/** Where and what to look for, and how what is found is sorted. */
export interface FileSearch extends Place {
  readonly order: readonly SortKey[]
  /** Each names all that can be found, in another way. */
  readonly anchors: readonly Anchor[]
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
  {store}: Pick<Call, 'store'>,
  search: FileSearch,
  size: number,
  position: unknown,
): FilePage {
  const {order, bind, parameters} = search
  const start = position === null ? null : readPosition(order, position)
  const limit = bind(size + 1)
  const selects = lanesFor(store, search, size).flatMap(lane =>
    slicesBehind(lane, start, bind)
      .flatMap(slice => {
        if (!isOpposite(lane, slice)) return [slice]
        const [key] = slice.keys as [SortKey]
        const by = orderSql([key], undefined)
        const select = rowsOf(search, lane, slice, `${key.expression} AS edge`, by)
        const last = store.get<{edge: Value}>(`${select} LIMIT 1 OFFSET ${bind(size)}`, parameters)
        return last ? slicesToEdge(slice, bind(last.edge)) : [slice]
      })
      .map(slice => {
        const columns = `${lane.id} AS id, ${positionColumns(lane.keys, lane.id)}`
        const by = orderSql(slice.keys, lane.id)
        return `SELECT * FROM (${rowsOf(search, lane, slice, columns, by)} LIMIT ${limit})`
      }),
  )
  if (selects.length === 0) return {rows: []}
  const found = store.all<FileRow & Record<string, Value>>(
    `WITH page AS MATERIALIZED (
      ${selects.join(' UNION ALL ')} ORDER BY ${columnOrderSql(order)} LIMIT ${limit}
    )
    SELECT file.*, page.* FROM page CROSS JOIN (${SELECT_FILE}) file ON file.id = page.id
    ORDER BY ${columnOrderSql(order, 'page.')}`,
    parameters,
  )
  const rows = found.slice(0, size)
  if (found.length <= size) return {rows}
  const last = rows.at(-1)
  return {rows, next: {behind: last ? positionOf(order, last) : start}}
}

function rowsOf(
  {condition}: FileSearch,
  lane: Lane,
  slice: Slice,
  columns: string,
  orderBy: string,
): string {
  return `SELECT ${columns} FROM ${lane.from}
    WHERE ${lane.where} AND ${condition} AND ${slice.where} ORDER BY ${orderBy}`
}

/** Where a page is read: among few items where something names them, and in order otherwise. */
function lanesFor(store: Pick<Database, 'get'>, search: FileSearch, size: number): readonly Lane[] {
  const {order, held, others, isIn, anchors, parameters} = search
  const holders = held.map(({holder}) => holder)
  const anchor = shortest(store, anchors, holders, {size, parameters})
  if (anchor && !anchor.byHolder) return [laneAmong(anchor.items(''), isIn, order)]
  return [
    ...held.flatMap(each =>
      anchor ? [laneAmongHeld(each, anchor.items(each.holder), order)] : lanesOf(each, order),
    ),
    ...(others ? [laneAmong(others.items, others.where, order)] : []),
  ]
}
