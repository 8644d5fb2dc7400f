import {usesField, comparedValues} from '#lib/api/query/query.js'
import type {Call} from '#lib/service/call.js'
import {badRequest} from '#lib/service/errors.js'
import {edgeBehind, type FileRow, firstFiles} from '#lib/service/store/files/files.js'
import type {Store} from '#lib/service/store/index.js'
import {realFileId, roleOf} from '#lib/service/store/sharing/access.js'
import {among, type Anchor, anchorsOf, shortest} from './anchors.js'
import type {ListScope} from './corpus.js'
import {phrases} from './fields.js'
import {fileFields} from './file-fields.js'
import {
  isOpposite,
  type Lane,
  laneAmong,
  lanesOf,
  type Slice,
  slicesBehind,
  slicesToEdge,
  whereHeld,
} from './lanes.js'
import {
  columnOrderSql,
  DEFAULT_ORDER,
  orderSql,
  parseOrder,
  type Position,
  positionColumns,
  positionOf,
  readPosition,
  relevanceOrder,
  type SortKey,
} from './order.js'
import {type Bind, binder, querySql, readQuery} from './sql.js'

/**
 * What the `q` and `orderBy` of a list look for in a scope (reference: protocols.md, section 5).
 * Throws 400 for a query or an order that is none, and for an order where relevance decides.
 */
export function fileSearch(
  call: Call<'files.list' | 'children.list'>,
  scope: ListScope,
): FileSearch {
  const query = readQuery(call.params.q)
  const wished = parseOrder(call.params.orderBy)
  const {bind, parameters} = binder(scope.parameters)
  const search = {
    ...scope,
    bind,
    parameters,
    order: wished ?? DEFAULT_ORDER,
    anchors: scope.among === undefined ? [] : [among(scope.among)],
  }
  if (!query) return search
  const folder = (id: string) => visibleFolder(call, id)
  const fields = fileFields({...call, visibleFolder: folder})
  const asked = `${scope.condition} AND (${querySql(query, fields, bind)})`
  const anchors = [...search.anchors, ...anchorsOf(query, bind, folder)]
  // The anchor of a text alone names what is asked for, which can be much: once is enough.
  const isAnchor = query.type === 'compare' && anchors.length === 1 && anchors[0]!.always
  const found = {...search, anchors, condition: isAnchor ? scope.condition : asked}
  if (!usesField(query, 'fullText')) return found
  if (wished) {
    throw badRequest('Sorting is not supported for queries with fullText terms.', 'orderBy')
  }
  const wanted = comparedValues(query, 'fullText').flatMap(value => phrases(String(value)))
  return {...found, order: relevanceOrder(wanted, bind)}
}

function visibleFolder(call: Call, id: string): string | undefined {
  const folderId = realFileId(call, id)
  return roleOf(call.store, call.user, folderId, call.now) && folderId
}

/** Where and what to look for, and how what is found is sorted. */
interface FileSearch extends ListScope {
  readonly order: readonly SortKey[]
  /** Each names all that can be found, in another way. */
  readonly anchors: readonly Anchor[]
  readonly bind: Bind
}

/** A page of files; `next` says where the one behind it starts, when there is one. */
interface FilePage {
  readonly rows: readonly FileRow[]
  readonly next?: {readonly behind: Position | null}
}

/**
 * Reads `size` files from `position` on: `null` is the start, anything else comes from a page
 * token. A page of size 0 has no files, but tells whether there are any. The scope of a page is
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
  const queries = lanesFor(store, search, size).flatMap(lane =>
    slicesBehind(lane, start, bind)
      .flatMap(slice => {
        if (!isOpposite(lane, slice)) return [slice]
        const [key] = slice.keys as [SortKey]
        const by = orderSql([key], undefined)
        const select = rowsOf(search, lane, slice, `${key.expression} AS edge`, by)
        const edge = edgeBehind(store, select, size, parameters)
        return edge === undefined ? [slice] : slicesToEdge(slice, bind(edge))
      })
      .map(slice => {
        const columns = `${lane.id} AS id, ${positionColumns(lane.keys, lane.id)}`
        const by = orderSql(slice.keys, lane.id)
        return rowsOf(search, lane, slice, columns, by)
      }),
  )
  const inOrder = (table: string) => columnOrderSql(order, table)
  const found = firstFiles(store, queries, inOrder, size + 1, parameters)
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
function lanesFor(store: Store, search: FileSearch, size: number): readonly Lane[] {
  const {order, held, others, isIn, anchors, parameters} = search
  const holders = held.map(({holder}) => holder)
  const anchor = shortest(store, anchors, holders, {size, parameters})
  if (anchor && !anchor.byHolder) return [laneAmong(anchor.items(''), isIn, order)]
  return [
    ...held.flatMap(each =>
      anchor
        ? [laneAmong(anchor.items(each.holder), whereHeld(each), order)]
        : lanesOf(each, order),
    ),
    ...(others ? [laneAmong(others.items, others.where, order)] : []),
  ]
}
