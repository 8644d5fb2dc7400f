import {selectionOf} from '../../api/fields.js'
import type {Call, HandlersOf} from '../call.js'
import {badRequest} from '../errors.js'
import {nextLink, pageToken, readPageToken} from '../paging.js'
import {corpusPlace, folderPlace, type Place, readCorpus} from '../query/corpus.js'
import {phrases} from '../query/fields.js'
import {fileFields} from '../query/file-fields.js'
import {DEFAULT_ORDER, parseOrder, relevanceOrder} from '../query/order.js'
import {type FileSearch, readPage} from '../query/page.js'
import {parseQuery, type Query, usesField, wantedValues} from '../query/parse.js'
import {binder, querySql} from '../query/sql.js'
import {etagOf, requestLink} from '../records/common.js'
import {fileRecord} from '../records/file.js'
import {childReference} from '../records/links.js'
import {lookupsFor} from '../records/lookups.js'
import {openFile, realFileId, roleOf} from '../store/access.js'

/** Lists of files, by folder or by any other thing (reference: operations.md, protocols.md sections 5 and 6). */
export const searchHandlers: HandlersOf<'files.list' | 'children.list'> = {
  'files.list'(call) {
    const corpus = readCorpus(call)
    const {rows, ...list} = filePage(
      call,
      query => corpusPlace(call, corpus, usesField(query, 'parents')),
      {corpus},
      'files',
    )
    const fields = selectionOf(call.fields, 'items')
    const lookups = lookupsFor(call, rows)
    const items = rows.map(row => {
      const file = {...row, role: lookups.role(row) ?? 'reader'}
      return fileRecord(call, file, fields, lookups)
    })
    return {
      kind: 'drive#fileList',
      etag: etagOf(rows.map(({id, version}) => [id, version])),
      ...list,
      incompleteSearch: false,
      items,
    }
  },

  'children.list'(call) {
    const folder = openFile(call, call.params.folderId, undefined, 'folderId').id
    const {rows, ...list} = filePage(
      call,
      () => folderPlace(call, folder),
      {folder},
      'files',
      folder,
      'children',
    )
    return {
      kind: 'drive#childList',
      etag: etagOf(rows.map(({id}) => id)),
      ...list,
      items: rows.map(({id}) => childReference(call.origin, folder, id)),
    }
  },
}

/** A page of the files in a place that the caller's `q` finds, and the links of the list. */
function filePage(
  call: Call<'files.list' | 'children.list'>,
  place: (query: Query | undefined) => Place,
  where: object,
  ...segments: readonly string[]
) {
  const {q, orderBy, maxResults = 100} = call.params
  const binding = [call.user.id, where, q, orderBy]
  const position = readPageToken(call.params.pageToken, binding) ?? null
  const page = readPage(call, fileSearch(call, place), maxResults, position)
  const selfLink = requestLink(call, ...segments)
  const token = page.next && pageToken(binding, page.next.behind)
  return {
    rows: page.rows,
    selfLink,
    ...(token !== undefined && {nextPageToken: token, nextLink: nextLink(selfLink, token)}),
  }
}

function fileSearch(
  call: Call<'files.list' | 'children.list'>,
  place: (query: Query | undefined) => Place,
): FileSearch {
  const query = parseQuery(call.params.q)
  const wished = parseOrder(call.params.orderBy)
  const where = place(query)
  const {bind, parameters} = binder(where.parameters)
  const search = {...where, bind, parameters, order: wished ?? DEFAULT_ORDER}
  if (!query) return search
  const fields = fileFields({...call, visibleFolder: id => visibleFolder(call, id)})
  const condition = `${where.condition} AND (${querySql(query, fields, bind)})`
  if (!usesField(query, 'fullText')) return {...search, condition}
  if (wished) {
    throw badRequest('Sorting is not supported for queries with fullText terms.', 'orderBy')
  }
  const wanted = wantedValues(query, 'fullText').flatMap(value => phrases(String(value)))
  return {...search, condition, order: relevanceOrder(wanted, bind)}
}

function visibleFolder(call: Call, id: string): string | undefined {
  const folderId = realFileId(call, id)
  return roleOf(call.store, call.user, folderId, call.now) && folderId
}
