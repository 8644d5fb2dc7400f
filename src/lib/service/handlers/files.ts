import {selectionOf} from '#lib/api/fields.js'
import type {Call, Handlers, HandlersOf} from '#lib/service/call.js'
import {invalid, notFound} from '#lib/service/errors.js'
import {storedFile} from '#lib/service/metadata/create.js'
import {corpusScope, folderScope, type ListScope, readCorpus} from '#lib/service/query/corpus.js'
import {fileSearch, readPage} from '#lib/service/query/search.js'
import {childReference, etagOf, requestLink} from '#lib/service/records/common.js'
import {fileRecord} from '#lib/service/records/file.js'
import {lookupsFor} from '#lib/service/records/lookups.js'
import {recordChange} from '#lib/service/store/changes.js'
import {saveFile, setUserFile} from '#lib/service/store/files/files.js'
import {generateIds} from '#lib/service/store/generated-ids.js'
import {deleteTrees, emptyTrash} from '#lib/service/store/remove.js'
import {requireFile} from '#lib/service/store/sharing/access.js'
import {setTrashed} from '#lib/service/store/tree.js'
import {exportFile, getFile} from './content.js'
import {copyFile, insertNewFile} from './newfiles.js'
import {nextPage, pageToken, readPageToken} from './paging.js'
import {updateFile} from './updates.js'

const SPACES = ['drive', 'appDataFolder']
const ID_TYPES = ['files', 'shortcuts']

/** Operations on single files and folders (reference: operations.md; protocols.md, sections 2, 3 and 9 to 11). */
export const filesHandlers = {
  'files.insert': insertNewFile,
  'files.copy': copyFile,
  'files.get': getFile,
  'files.export': exportFile,
  'files.update': updateFile,
  'files.patch': updateFile,

  'files.delete'(call) {
    const {id} = requireFile(call, call.params.fileId, 'canDelete')
    call.inSlices(deleteTrees(call, [id]))
    return undefined
  },

  'files.trash': call => trash(call, true),

  'files.untrash': call => trash(call, false),

  'files.touch'(call) {
    const {store, now, user} = call
    const file = requireFile(call, call.params.fileId, 'canEdit')
    saveFile(store, file.id, {modified_at: now, modifier_id: user.id})
    setUserFile(store, user.id, file.id, {modified_at: now})
    recordChange(store, now, file.id, 'update')
    return fileRecord(call, storedFile(call, file.id))
  },

  'files.emptyTrash'(call) {
    const {driveId} = call.params
    const top = driveId ? requireFile(call, driveId, 'canDeleteChildren', 'driveId') : undefined
    if (top && top.id !== top.drive_id) throw notFound('Shared drive', driveId!, 'driveId')
    call.inSlices(emptyTrash(call, top?.id ?? call.user.id))
    return undefined
  },

  'files.generateIds'({store, user, params}) {
    const {space, type, maxResults = 10} = params
    if (!SPACES.includes(space)) {
      throw invalid(`space must be one of ${SPACES.join(', ')}.`, 'space')
    }
    if (!ID_TYPES.includes(type) || (type === 'shortcuts' && space !== 'drive')) {
      throw invalid('type must be files, or shortcuts if space is drive.', 'type')
    }
    const ids = generateIds(store, user.id, {space, type}, maxResults)
    return {kind: 'drive#generatedIds', space, ids}
  },
} satisfies Partial<Handlers<'files'>>

function trash(call: Call<'files.trash' | 'files.untrash'>, trashed: boolean) {
  const file = requireFile(call, call.params.fileId, 'canTrash')
  setTrashed(call, file, trashed)
  return fileRecord(call, storedFile(call, file.id))
}

/** Lists of files by query and by folder (reference: operations.md; protocols.md, sections 5 and 6). */
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
    const opened = requireFile(call, call.params.folderId, undefined, 'folderId')
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

/** A page of the files in a scope that match the caller's `q`, with the links of the list. */
function filePage(
  call: Call<'files.list' | 'children.list'>,
  scope: ListScope,
  target: object,
  ...segments: readonly string[]
) {
  const {q, orderBy, maxResults = 100} = call.params
  const binding = [call.user.id, target, q, orderBy]
  const position = readPageToken(call.params.pageToken, binding) ?? null
  const page = readPage(call, fileSearch(call, scope), maxResults, position)
  const selfLink = requestLink(call, ...segments)
  const token = page.next && pageToken(binding, page.next.after)
  return {rows: page.rows, selfLink, ...nextPage(selfLink, token)}
}
