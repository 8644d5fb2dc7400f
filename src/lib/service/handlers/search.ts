import {selectionOf} from '#lib/api/fields.js'
import type {Call, HandlersOf} from '#lib/service/call.js'
import {corpusScope, folderScope, type ListScope, readCorpus} from '#lib/service/query/corpus.js'
import {fileSearch, readPage} from '#lib/service/query/search.js'
import {childReference, etagOf, requestLink} from '#lib/service/records/common.js'
import {fileRecord} from '#lib/service/records/file.js'
import {lookupsFor} from '#lib/service/records/lookups.js'
import {openFile} from '#lib/service/store/sharing/access.js'
import {nextPage, pageToken, readPageToken} from './paging.js'

/** Lists of files, by folder or by any other thing (reference: operations.md, protocols.md sections 5 and 6). */
export const searchHandlers: HandlersOf<'files.list' | 'children.list'> = {
  'files.list'(call) {
    const corpus = readCorpus(call)
    const {rows, ...list} = filePage(call, corpusScope(call, corpus), {corpus}, 'files')
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
    const scope = folderScope(call, opened)
    const {rows, ...list} = filePage(call, scope, {folder}, 'files', folder, 'children')
    return {
      kind: 'drive#childList',
      etag: etagOf(rows.map(({id}) => id)),
      ...list,
      items: rows.map(({id}) => childReference(call.origin, folder, id)),
    }
  },
}

/** A page of the files in a scope that the caller's `q` finds, and the links of the list. */
function filePage(
  call: Call<'files.list' | 'children.list'>,
  scope: ListScope,
  where: object,
  ...segments: readonly string[]
) {
  const {q, orderBy, maxResults = 100} = call.params
  const binding = [call.user.id, where, q, orderBy]
  const position = readPageToken(call.params.pageToken, binding) ?? null
  const page = readPage(call, fileSearch(call, scope), maxResults, position)
  const selfLink = requestLink(call, ...segments)
  const token = page.next && pageToken(binding, page.next.behind)
  return {rows: page.rows, selfLink, ...nextPage(selfLink, token)}
}
