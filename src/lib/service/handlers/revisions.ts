import type {Call, Handlers} from '#lib/service/call.js'
import {badRequest, forbidden, invalidValue, notFound} from '#lib/service/errors.js'
import {etagOf, requestLink} from '#lib/service/records/common.js'
import {isEditorRevision, revisionRecord} from '#lib/service/records/parts.js'
import {recordChange} from '#lib/service/store/changes.js'
import {contentText, indexFile} from '#lib/service/store/files/fulltext.js'
import {
  checkPins,
  findRevision,
  forgetBlobs,
  newestRevision,
  recountQuota,
  removeRevision,
  restoreRevision,
  type RevisionRow,
  revisionsAfter,
  saveRevision,
} from '#lib/service/store/files/revisions.js'
import {type ReachedFile, requireFile} from '#lib/service/store/sharing/access.js'
import {pageOf, readPageToken} from './paging.js'

/** The fields of a revision that a request can change, with their columns: for binary content, and for editor documents. */
const CONTENT_FLAGS = {pinned: 'pinned'} as const
const EDITOR_FLAGS = {
  published: 'published',
  publishAuto: 'publish_auto',
  publishedOutsideDomain: 'published_outside_domain',
} as const

type RevisionFlag = 'pinned' | (typeof EDITOR_FLAGS)[keyof typeof EDITOR_FLAGS]

/** The revisions of a file's content (reference: operations.md, resources.md). `head` is the ID of the newest one. */
export const revisionsHandlers: Handlers<'revisions'> = {
  'revisions.delete'(call) {
    const file = requireFile(call, call.params.fileId, 'canModifyContent')
    const row = openRevision(call, file)
    if (isEditorRevision(row)) {
      throw badRequest('Revisions of editor documents cannot be deleted.', 'revisionId')
    }
    removeRevision(call.store, file.id, row.id)
    const isHead = row.id === file.head_revision_id
    if (isHead) restorePrevious(call, file)
    forgetBlobs(call, [row.blob_id])
    recountQuota(call.store, file.id)
    recordChange(call.store, call.now, file.id, 'update', isHead ? ['content'] : [])
    return undefined
  },

  'revisions.get'(call) {
    const file = requireFile(call, call.params.fileId, 'canReadRevisions')
    return revisionRecord(call, file, openRevision(call, file))
  },

  'revisions.list'(call) {
    const {fileId, maxResults = 200} = call.params
    const file = requireFile(call, fileId, 'canReadRevisions')
    const binding = ['revisions', call.user.id, file.id]
    const after = readPageToken(call.params.pageToken, binding) ?? 0
    if (typeof after !== 'number') throw invalidValue('pageToken')
    const found = revisionsAfter(call.store, file.id, after, maxResults + 1)
    const {rows, nextPageToken} = pageOf(found, maxResults, binding, last => last.number)
    const items = rows.map(row => revisionRecord(call, file, row))
    return {
      kind: 'drive#revisionList',
      etag: etagOf(items.map(({etag}) => etag)),
      selfLink: requestLink(call, 'files', file.id, 'revisions'),
      ...(nextPageToken !== undefined && {nextPageToken}),
      items,
    }
  },

  'revisions.patch': changeRevision,
  'revisions.update': changeRevision,
}

/** Update and patch: missing fields keep their values. */
function changeRevision(call: Call<'revisions.patch' | 'revisions.update'>) {
  const file = requireFile(call, call.params.fileId, 'canEdit')
  const row = openRevision(call, file)
  const isEditor = isEditorRevision(row)
  const changes = {
    ...changesOf(call, row, CONTENT_FLAGS, isEditor && 'binary files'),
    ...changesOf(call, row, EDITOR_FLAGS, !isEditor && 'editor documents'),
  }
  if (changes.pinned) checkPins(call.store, file.id)
  if (Object.keys(changes).length > 0) {
    saveRevision(call.store, file.id, row.id, changes)
    recordChange(call.store, call.now, file.id, 'update')
  }
  return revisionRecord(call, file, openRevision(call, file))
}

/** The flags that the body changes. Throws 400 for a change if only revisions of `others` have these flags. */
function changesOf(
  call: Call,
  row: RevisionRow,
  flags: Readonly<Record<string, RevisionFlag>>,
  others: string | false,
): Partial<Record<RevisionFlag, number>> {
  const changes: Partial<Record<RevisionFlag, number>> = {}
  for (const [name, flag] of Object.entries(flags)) {
    const value = call.body[name] === true
    if (call.body[name] === undefined || value === (row[flag] === 1)) continue
    if (others) throw badRequest(`Only revisions of ${others} support ${name}.`, name)
    changes[flag] = Number(value)
  }
  return changes
}

function openRevision(
  call: Call<'revisions.get' | 'revisions.delete' | 'revisions.patch'>,
  file: ReachedFile,
): RevisionRow {
  const {revisionId} = call.params
  const id = revisionId === 'head' ? file.head_revision_id : revisionId
  const row = findRevision(call.store, file.id, id)
  if (!row) throw notFound('Revision', revisionId, 'revisionId')
  return row
}

/** Makes the newest remaining revision the head of a file. Throws 403 if none remains. */
function restorePrevious(call: Call, file: ReachedFile): void {
  const {store, now, user} = call
  const row = newestRevision(store, file.id)
  if (!row) {
    throw forbidden('forbidden', 'The last remaining revision of a file cannot be deleted.')
  }
  restoreRevision(store, file.id, row, {modifier_id: user.id, modified_at: now})
  const content = {blobId: row.blob_id, size: row.size, mimeType: row.mime_type}
  indexFile(store, file.id, {content: contentText(store, content)})
}
