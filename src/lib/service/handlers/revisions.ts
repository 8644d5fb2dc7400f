import type {Call, Handlers} from '../call.js'
import {badRequest, forbidden, invalidValue, notFound} from '../errors.js'
import {nextLink, pageToken, readPageToken} from '../paging.js'
import {etagOf, requestLink} from '../records/common.js'
import {
  isEditorRevision,
  revisionRecord,
  type RevisionRow,
  SELECT_REVISION,
} from '../records/revision.js'
import {type OpenFile, openFile} from '../store/sharing/access.js'
import {forgetBlobs} from '../store/content/blobs.js'
import {recordChange} from '../store/changes.js'
import {contentText, indexFile} from '../store/files/fulltext.js'
import {checkPins, recountQuota} from '../store/files/revise.js'

/** What a request may change of a revision, with the column that keeps it, by the kind of content. */
const CONTENT_FLAGS = {pinned: 'pinned'} as const
const EDITOR_FLAGS = {
  published: 'published',
  publishAuto: 'publish_auto',
  publishedOutsideDomain: 'published_outside_domain',
} as const

/** The kept states of a file's content (reference: operations.md, resources.md). `head` names the newest. */
export const revisionsHandlers: Handlers<'revisions'> = {
  'revisions.delete'(call) {
    const file = openFile(call, call.params.fileId, 'canModifyContent')
    const row = openRevision(call, file)
    if (isEditorRevision(row)) {
      throw badRequest('Revisions of editor documents cannot be deleted.', 'revisionId')
    }
    call.store.run('DELETE FROM revisions WHERE file_id = :fileId AND id = :id', {
      fileId: file.id,
      id: row.id,
    })
    const isHead = row.id === file.head_revision_id
    if (isHead) restorePrevious(call, file)
    forgetBlobs(call, [row.blob_id])
    recountQuota(call.store, file.id)
    recordChange(call.store, call.now, file.id, 'update', isHead ? ['content'] : [])
    return undefined
  },

  'revisions.get'(call) {
    const file = openFile(call, call.params.fileId, 'canReadRevisions')
    return revisionRecord(call, file, openRevision(call, file))
  },

  'revisions.list'(call) {
    const {fileId, maxResults = 200} = call.params
    const file = openFile(call, fileId, 'canReadRevisions')
    const binding = ['revisions', call.user.id, file.id]
    const after = readPageToken(call.params.pageToken, binding) ?? 0
    if (typeof after !== 'number') throw invalidValue('pageToken')
    const found = call.store.all<RevisionRow>(
      `${SELECT_REVISION} WHERE r.file_id = :fileId AND r.number > :after
       ORDER BY r.number LIMIT :limit`,
      {fileId: file.id, after, limit: maxResults + 1},
    )
    const items = found.slice(0, maxResults).map(row => revisionRecord(call, file, row))
    const selfLink = requestLink(call, 'files', file.id, 'revisions')
    const token =
      found.length > maxResults ? pageToken(binding, found[maxResults - 1]!.number) : undefined
    return {
      kind: 'drive#revisionList',
      etag: etagOf(items.map(({etag}) => etag)),
      selfLink,
      ...(token !== undefined && {nextPageToken: token, nextLink: nextLink(selfLink, token)}),
      items,
    }
  },

  'revisions.patch': changeRevision,
  'revisions.update': changeRevision,
}

/** Both ways to change one leave alone what is not sent. */
function changeRevision(call: Call<'revisions.patch' | 'revisions.update'>) {
  const file = openFile(call, call.params.fileId, 'canEdit')
  const row = openRevision(call, file)
  const isEditor = isEditorRevision(row)
  const wishes = {
    ...changesOf(call, row, CONTENT_FLAGS, isEditor && 'files with content of their own'),
    ...changesOf(call, row, EDITOR_FLAGS, !isEditor && 'editor documents'),
  }
  if (wishes.pinned) checkPins(call.store, file.id)
  for (const [column, value] of Object.entries(wishes)) {
    call.store.run(`UPDATE revisions SET ${column} = :value WHERE file_id = :fileId AND id = :id`, {
      value: Number(value),
      fileId: file.id,
      id: row.id,
    })
  }
  if (Object.keys(wishes).length > 0) recordChange(call.store, call.now, file.id, 'update')
  return revisionRecord(call, file, openRevision(call, file))
}

type Flag = (typeof CONTENT_FLAGS & typeof EDITOR_FLAGS)[keyof (typeof CONTENT_FLAGS &
  typeof EDITOR_FLAGS)]

/** Which columns the body gives another value; 400 for one that only `others` have. */
function changesOf(
  call: Call,
  row: RevisionRow,
  flags: Readonly<Record<string, Flag>>,
  others: string | false,
): Partial<Record<Flag, boolean>> {
  const changes: Partial<Record<Flag, boolean>> = {}
  for (const [name, column] of Object.entries(flags)) {
    const wished = call.body[name] === true
    if (call.body[name] === undefined || wished === (row[column] === 1)) continue
    if (others) throw badRequest(`Only revisions of ${others} have ${name}.`, name)
    changes[column] = wished
  }
  return changes
}

function openRevision(
  call: Call<'revisions.get' | 'revisions.delete' | 'revisions.patch'>,
  file: OpenFile,
): RevisionRow {
  const {revisionId} = call.params
  const id = revisionId === 'head' ? file.head_revision_id : revisionId
  const row = call.store.get<RevisionRow>(
    `${SELECT_REVISION} WHERE r.file_id = :fileId AND r.id = :id`,
    {fileId: file.id, id},
  )
  if (!row) throw notFound('Revision', revisionId, 'revisionId')
  return row
}

/** Makes the newest revision that is left the head of a file; 403 when there is none. */
function restorePrevious(call: Call, file: OpenFile): void {
  const {store, now, user} = call
  const row = store.get<RevisionRow>(
    `${SELECT_REVISION} WHERE r.file_id = :fileId ORDER BY r.number DESC LIMIT 1`,
    {fileId: file.id},
  )
  if (!row) {
    throw forbidden('forbidden', 'The last remaining revision of a file cannot be deleted.')
  }
  store.run('UPDATE revisions SET replaced_at = NULL WHERE file_id = :fileId AND id = :id', {
    fileId: file.id,
    id: row.id,
  })
  store.run(
    `UPDATE files SET head_revision_id = :id, mime_type = :type, modified_at = :now,
       modifier_id = :userId WHERE id = :fileId`,
    {id: row.id, type: row.mime_type, now, userId: user.id, fileId: file.id},
  )
  const content = {blobId: row.blob_id, size: row.size, mimeType: row.mime_type}
  indexFile(store, file.id, {content: contentText(store, content)})
}
