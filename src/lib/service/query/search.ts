import {usesField, wantedValues} from '#lib/api/query/query.js'
import type {Call} from '#lib/service/call.js'
import {badRequest} from '#lib/service/errors.js'
import {realFileId, roleOf} from '#lib/service/store/sharing/access.js'
import {among, anchorsOf} from './anchors.js'
import type {ListScope} from './corpus.js'
import {phrases} from './fields.js'
import {fileFields} from './file-fields.js'
import {DEFAULT_ORDER, parseOrder, relevanceOrder} from './order.js'
import type {FileSearch} from './page.js'
import {readQuery} from './read.js'
import {binder, querySql} from './sql.js'

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
  const wanted = wantedValues(query, 'fullText').flatMap(value => phrases(String(value)))
  return {...found, order: relevanceOrder(wanted, bind)}
}

function visibleFolder(call: Call, id: string): string | undefined {
  const folderId = realFileId(call, id)
  return roleOf(call.store, call.user, folderId, call.now) && folderId
}
