import {comparedValues, usesField} from '#lib/api/query/query.js'
import type {Call} from '#lib/service/call.js'
import {badRequest} from '#lib/service/errors.js'
import {edgeAfter, type FileRow, firstFiles} from '#lib/service/store/files/files.js'
import type {Store} from '#lib/service/store/index.js'
import {realFileId, strongestRole} from '#lib/service/store/sharing/access.js'
import {type Anchor, anchorsOf, sharedAnchor, shortest} from './anchors.js'
import type {ListScope} from './corpus.js'
import {phrases} from './fields.js'
import {fileFields} from './file-fields.js'
import {
  isOpposite,
  type Lane,
  laneAmong,
  lanesOf,
  type Slice,
  slicesAfter,
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
 * The search for the `q` and `orderBy` of a list within a scope (reference: protocols.md, section 5).
 * Throws 400 for an invalid query or order, and for an order with a full-text query, whose results
 * are sorted by relevance.
 */
export function fileSearch(
  call: Call<'files.list' | 'children.list'>,
  scope: ListScope,
): FileSearch {
  const query = readQuery(call.params.q)
  const requestedOrder = parseOrder(call.params.orderBy)
  const {bind, parameters} = binder(scope.parameters)
  const search = {
    ...scope,
    bind,
    parameters,
    order: requestedOrder ?? DEFAULT_ORDER,
    anchors: scope.among === undefined ? [] : [sharedAnchor(scope.among)],
  }
  if (!query) return search
  const folder = (id: string) => visibleFolder(call, id)
  const fields = fileFields({...call, visibleFolder: folder})
  const condition = `${scope.condition} AND (${querySql(query, fields, bind)})`
  const anchors = [...search.anchors, ...anchorsOf(query, bind, folder)]
  // The only anchor of a full-text query contains exactly its results, so do not evaluate it twice.
  const isAnchor = query.type === 'compare' && anchors.length === 1 && anchors[0]!.always
  const found = {...search, anchors, condition: isAnchor ? scope.condition : condition}
  if (!usesField(query, 'fullText')) return found
  if (requestedOrder) {
    throw badRequest('Sorting is not supported for queries with fullText terms.', 'orderBy')
  }
  const terms = comparedValues(query, 'fullText').flatMap(value => phrases(String(value)))
  return {...found, order: relevanceOrder(terms, bind)}
}

function visibleFolder(call: Call, id: string): string | undefined {
  const folderId = realFileId(call, id)
  return strongestRole(call.store, call.user, folderId, call.now) && folderId
}

/** The scope, condition and order of a search. */
interface FileSearch extends ListScope {
  readonly order: readonly SortKey[]
  /** Each anchor contains every item that the search can find. */
  readonly anchors: readonly Anchor[]
  readonly bind: Bind
}

/** A page of files. `next` has the position after which the next page starts, if there is one. */
interface FilePage {
  readonly rows: readonly FileRow[]
  readonly next?: {readonly after: Position | null}
}

/**
 * Reads `size` files after `position`: `null` for the first page, or the position from a page token.
 * With size 0, only `next` shows whether there are files. A page starts at a position in the order,
 * not at a row number, so files that are added or removed meanwhile do not shift the others.
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
    slicesAfter(lane, start, bind)
      .flatMap(slice => {
        if (!isOpposite(lane, slice)) return [slice]
        const [key] = slice.keys as [SortKey]
        const by = orderSql([key], undefined)
        const select = rowsOf(search, lane, slice, `${key.expression} AS edge`, by)
        const edge = edgeAfter(store, select, size, parameters)
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
  return {rows, next: {after: last ? positionOf(order, last) : start}}
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

/** The lanes of a page: the items of a short anchor, or else all items in order. */
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
