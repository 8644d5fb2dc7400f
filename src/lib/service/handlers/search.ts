import {selectionOf} from '../../api/fields.js'
import type {Call, HandlersOf} from '../call.js'
import {badRequest} from '../errors.js'
import {nextLink, pageToken, readPageToken} from '../paging.js'
import {among, anchorsOf} from '../query/anchors.js'
import {corpusPlace, folderPlace, type Place, readCorpus} from '../query/corpus.js'
import {phrases} from '../query/fields.js'
import {fileFields} from '../query/file-fields.js'
import {DEFAULT_ORDER, parseOrder, relevanceOrder} from '../query/order.js'
import {type FileSearch, readPage} from '../query/page.js'
import {parseQuery, usesField, wantedValues} from '../query/parse.js'
import {binder, querySql} from '../query/sql.js'
import {etagOf, requestLink} from '../records/common.js'
import {fileRecord} from '../records/file.js'
import {childReference} from '../records/links.js'
import {lookupsFor} from '../records/lookups.js'
import {openFile, realFileId, roleOf} from '../store/sharing/access.js'

/** Lists of files, by folder or by any other thing (reference: operations.md, protocols.md sections 5 and 6). */
export const searchHandlers: HandlersOf<'files.list' | 'children.list'> = {
  'files.list'(call) {
    const corpus = readCorpus(call)
    const {rows, ...list} = filePage(call, corpusPlace(call, corpus), {corpus}, 'files')
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
    const opened = openFile(call, call.params.folderId, undefined, 'folderId')
    const folder = opened.id
    const {rows, ...list} = filePage(
      call,
      folderPlace(call, opened),
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
  place: Place,
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

function fileSearch(call: Call<'files.list' | 'children.list'>, place: Place): FileSearch {
  const query = parseQuery(call.params.q)
  const wished = parseOrder(call.params.orderBy)
  const {bind, parameters} = binder(place.parameters)
  const search = {
    ...place,
    bind,
    parameters,
    order: wished ?? DEFAULT_ORDER,
    anchors: place.among === undefined ? [] : [among(place.among)],
  }
  if (!query) return search
  const folders = new Map<string, string | undefined>()
  const folder = (id: string) => {
    if (!folders.has(id)) folders.set(id, visibleFolder(call, id))
    return folders.get(id)
  }
  const fields = fileFields({...call, visibleFolder: folder})
  const asked = `${place.condition} AND (${querySql(query, fields, bind)})`
  const anchors = [...search.anchors, ...anchorsOf(query, bind, folder)]
  // The anchor of a text alone names what is asked for, which can be much: once is enough.
  const isAnchor = query.type === 'compare' && anchors.length === 1 && anchors[0]!.always
  const found = {...search, anchors, condition: isAnchor ? place.condition : asked}
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
