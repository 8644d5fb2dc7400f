import {forbidden} from '#lib/service/errors.js'
import {forgetBlobs} from '#lib/service/store/content/blobs.js'
import {column, insertRow} from '#lib/service/store/database/rows.js'
import {newOpaqueId} from '#lib/service/store/ids.js'
import type {Store} from '#lib/service/store/index.js'
import type {StoreCall} from '#lib/service/store/store-call.js'
import {fileById, saveFile} from './files.js'
import {findRevision, saveRevision} from './revisions.js'

/** How long content that is not pinned stays once there is newer content, in ms (reference: resources.md, Revision). */
export const REVISION_LIFETIME = 30 * 24 * 3600 * 1000
/** How many revisions that are not pinned a file keeps, the head included. */
export const REVISION_LIMIT = 100
/** How many revisions of a file may be pinned. */
export const PIN_LIMIT = 200

type Context = Pick<StoreCall, 'store' | 'now' | 'afterCommit'> & {
  readonly user: {readonly id: number}
}

/** New content for a file. */
export interface NewContent {
  readonly blobId: string
  /** Of the file from now on; for an editor document its own type, not that of the bytes. */
  readonly mimeType: string
  /** `null` for editor documents. */
  readonly originalFilename: string | null
  readonly pinned?: boolean
}

/**
 * Makes content the head revision of a file, keeps the one before, and purges what has been kept
 * long enough. Returns the ID of the revision. The file's row follows: head and quota.
 */
export function addRevision(call: Context, fileId: string, content: NewContent): string {
  const {store, now} = call
  const id = newOpaqueId(store.random)
  const newest = 'SELECT max(number) FROM revisions WHERE file_id = :fileId'
  const last = column<number | null>(store, newest, {fileId})[0] ?? 0
  if (content.pinned) checkPins(store, fileId)
  const row = {file_id: fileId, id, number: last + 1, pinned: content.pinned ?? false}
  insertRow(store, 'revisions', {...row, ...columnsOf(call, content)})
  saveFile(store, fileId, {head_revision_id: id})
  if (last > 0) {
    store.run(
      `UPDATE revisions SET replaced_at = :now
       WHERE file_id = :fileId AND replaced_at IS NULL AND id <> :id`,
      {fileId, id, now},
    )
    purgeRevisions(call, fileId)
  }
  recountQuota(store, fileId)
  return id
}

/** Puts content in the place of the head revision's, which keeps its ID. The file needs a head. */
export function replaceHead(call: Context, fileId: string, content: NewContent): void {
  const {store} = call
  const head = findRevision(store, fileId, fileById(store, fileId)!.head_revision_id)!
  if (content.pinned && !head.pinned) checkPins(store, fileId)
  saveRevision(store, fileId, head.id, {
    ...columnsOf(call, content),
    ...(content.pinned && {pinned: 1}),
  })
  forgetBlobs(call, [head.blob_id])
  recountQuota(store, fileId)
}

/** What a revision has of content, and of who brings it now. */
function columnsOf({now, user}: Context, {blobId, mimeType, originalFilename}: NewContent) {
  return {
    blob_id: blobId,
    mime_type: mimeType,
    original_filename: originalFilename,
    modified_at: now,
    modifier_id: user.id,
  }
}

/** 403 when a file has as many pinned revisions as it may have; ask before pinning one more. */
export function checkPins(store: Store, fileId: string): void {
  const {pins} = store.get<{pins: number}>(
    'SELECT count(*) AS pins FROM revisions WHERE file_id = :fileId AND pinned = 1',
    {fileId},
  )!
  if (pins < PIN_LIMIT) return
  throw forbidden(
    'pinnedRevisionLimitExceeded',
    `File ${fileId} has ${PIN_LIMIT} pinned revisions, the most it can have. Unpin or delete one first.`,
    'pinned',
  )
}

/** Brings `quotaBytesUsed` of a file in line with the revisions it has. */
export function recountQuota(store: Store, fileId: string): void {
  store.run(
    `UPDATE files SET quota_bytes = (
       SELECT coalesce(sum(b.size), 0) FROM revisions r JOIN blobs b ON b.id = r.blob_id
       WHERE r.file_id = :fileId
     ) WHERE id = :fileId`,
    {fileId},
  )
}

function purgeRevisions(call: Context, fileId: string): void {
  const {store, now} = call
  const blobs = column<string>(
    store,
    `DELETE FROM revisions
     WHERE file_id = :fileId AND pinned = 0 AND replaced_at IS NOT NULL AND (
       replaced_at <= :before OR id NOT IN (
         SELECT id FROM revisions WHERE file_id = :fileId AND pinned = 0
         ORDER BY number DESC LIMIT ${REVISION_LIMIT}
       )) RETURNING blob_id`,
    {fileId, before: now - REVISION_LIFETIME},
  )
  forgetBlobs(call, blobs)
}
