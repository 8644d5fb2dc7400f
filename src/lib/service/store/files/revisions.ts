import {forbidden} from '#lib/service/errors.js'
import type {Blob} from '#lib/service/store/content/content.js'
import {isSmall} from '#lib/service/store/content/small.js'
import {
  column,
  deleteRows,
  findRow,
  insertRow,
  rowsAfter,
  updateRows,
} from '#lib/service/store/database/rows.js'
import {newOpaqueId} from '#lib/service/store/ids.js'
import type {Store} from '#lib/service/store/index.js'
import {fileById, saveFile} from './files.js'

/** The `revisionId` in the URL of an uploaded thumbnail. */
export const THUMBNAIL = 'thumbnail'

/** The columns of a revision that can change. */
interface RevisionColumns {
  readonly blob_id: string
  readonly mime_type: string
  readonly original_filename: string | null
  readonly modified_at: number
  readonly modifier_id: number | null
  readonly pinned: number
  /** Unix ms; `null` for the head. */
  readonly replaced_at: number | null
  readonly published: number
  readonly publish_auto: number
  readonly published_outside_domain: number
}

/** A revision with columns of its content. */
export interface RevisionRow extends RevisionColumns {
  readonly id: string
  readonly number: number
  readonly size: number
  readonly md5: string
}

/** The start of every query for revisions. Append `WHERE` conditions. */
const SELECT_REVISION = `
  SELECT r.*, b.size, b.md5 FROM revisions r JOIN blobs b ON b.id = r.blob_id`

/** The revision of a file with this ID; `undefined` if it does not exist, or for the ID `null` of a file without content. */
export function findRevision(
  store: Store,
  fileId: string,
  id: string | null,
): RevisionRow | undefined {
  return store.get<RevisionRow>(`${SELECT_REVISION} WHERE r.file_id = :fileId AND r.id = :id`, {
    fileId,
    id,
  })
}

/** The newest revision of a file. */
export function newestRevision(store: Store, fileId: string): RevisionRow | undefined {
  return store.get<RevisionRow>(
    `${SELECT_REVISION} WHERE r.file_id = :fileId ORDER BY r.number DESC LIMIT 1`,
    {fileId},
  )
}

/** The first `limit` revisions of a file after the number `after`, oldest first. */
export function revisionsAfter(
  store: Store,
  fileId: string,
  after: number,
  limit: number,
): readonly RevisionRow[] {
  const ofFile = `${SELECT_REVISION} WHERE r.file_id = :fileId`
  return rowsAfter(store, ofFile, 'r.number', {fileId, after, limit})
}

/** Deletes the row of a revision. The caller must update the content, the head and the quota. */
export function removeRevision(store: Store, fileId: string, id: string): void {
  deleteRows(store, 'revisions', {file_id: fileId, id})
}

export function saveRevision(
  store: Store,
  fileId: string,
  id: string,
  columns: Partial<RevisionColumns>,
): void {
  updateRows(store, 'revisions', {file_id: fileId, id}, {...columns})
}

/** Makes an older revision the head of its file. `by` is the user and the time of this change. */
export function restoreRevision(
  store: Store,
  fileId: string,
  {id, mime_type: type}: RevisionRow,
  by: {readonly modifier_id: number; readonly modified_at: number},
): void {
  saveRevision(store, fileId, id, {replaced_at: null})
  saveFile(store, fileId, {head_revision_id: id, mime_type: type, ...by})
}

/** Content and its media type. */
export type Bytes = Pick<RevisionRow, 'blob_id' | 'size' | 'md5' | 'mime_type'>

/** Sets the original file name of the head revision. */
export function renameContent(store: Store, fileId: string, originalFilename: string): void {
  store.run(
    `UPDATE revisions SET original_filename = :originalFilename
     WHERE file_id = :fileId AND id = (SELECT head_revision_id FROM files WHERE id = :fileId)`,
    {fileId, originalFilename},
  )
}

/** Replaces the uploaded thumbnail of a file, or removes it (`null`). */
export function saveThumbnail(
  call: Omit<Context, 'user'>,
  fileId: string,
  thumbnail: {readonly image: Buffer; readonly mimeType: string} | null,
): void {
  const {store, now} = call
  const old = findRow<{blob_id: string}>(store, 'thumbnails', {file_id: fileId})
  if (thumbnail) {
    const {id: blobId} = putBlob(store, now, thumbnail.image)
    const row = {file_id: fileId, blob_id: blobId, mime_type: thumbnail.mimeType}
    insertRow(store, 'thumbnails', row, {replace: true})
  } else {
    deleteRows(store, 'thumbnails', {file_id: fileId})
  }
  if (old) forgetBlobs(call, [old.blob_id])
}

/** The uploaded thumbnail of a file; `undefined` if it has none. */
export function thumbnailOf(store: Store, fileId: string): Bytes | undefined {
  return store.get(
    `SELECT t.blob_id, b.size, b.md5, t.mime_type FROM thumbnails t JOIN blobs b ON b.id = t.blob_id
     WHERE t.file_id = :fileId`,
    {fileId},
  )
}

/** How long a revision is kept after a newer one unless it is pinned, in ms (reference: resources.md, Revision). */
export const REVISION_LIFETIME = 30 * 24 * 3600 * 1000
/** Maximum number of revisions of a file that are not pinned, including the head. */
export const REVISION_LIMIT = 100
/** Maximum number of pinned revisions of a file. */
export const PIN_LIMIT = 200

interface DeletionContext {
  readonly store: Store
  /** Runs `work` once the transaction is on disk. */
  afterCommit(work: () => void): void
}

interface Context extends DeletionContext {
  readonly now: number
  readonly user: {readonly id: number}
}

/** New content for a file. */
export interface NewContent {
  readonly blobId: string
  /** The new media type of the file; for an editor document its editor type. */
  readonly mimeType: string
  /** `null` for editor documents. */
  readonly originalFilename: string | null
  readonly pinned?: boolean
}

/** Adds a head revision to a file, deletes expired revisions and updates the quota. Returns its ID. Throws 403 above the limit of pinned revisions. */
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

/** Replaces the content of the head revision, which keeps its ID. The file must have a head. */
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

/** The columns of a revision for new content of the current user. */
function columnsOf({now, user}: Context, {blobId, mimeType, originalFilename}: NewContent) {
  return {
    blob_id: blobId,
    mime_type: mimeType,
    original_filename: originalFilename,
    modified_at: now,
    modifier_id: user.id,
  }
}

/** Throws 403 if another revision of a file cannot be pinned. Call it before pinning one. */
export function checkPins(store: Store, fileId: string): void {
  const {pins} = store.get<{pins: number}>(
    'SELECT count(*) AS pins FROM revisions WHERE file_id = :fileId AND pinned = 1',
    {fileId},
  )!
  if (pins < PIN_LIMIT) return
  throw forbidden(
    'pinnedRevisionLimitExceeded',
    `File ${fileId} already has ${PIN_LIMIT} pinned revisions, which is the limit. Unpin or delete one first.`,
    'pinned',
  )
}

/** Updates `quotaBytesUsed` of a file from its revisions. */
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

/** Inserts the row of content, so that revisions can refer to it. */
export function registerBlob(store: Store, now: number, blob: Blob): void {
  const {id, size, md5, sha1, sha256, bytes} = blob
  insertRow(store, 'blobs', {id, size, md5, sha1, sha256, created_at: now, bytes})
}

/** Stores content that the service creates itself, and inserts its row. */
export function putBlob(store: Store, now: number, bytes: Buffer): Blob {
  const blob = store.content.put(bytes)
  registerBlob(store, now, blob)
  return blob
}

/** Deletes the content of a failed request. If it has a row, the request was committed and only the sync failed, so it stays. */
export function discardBlob(store: Store, id: string): void {
  if (!findRow(store, 'blobs', {id})) store.content.remove(id)
}

/** Deletes content that nothing refers to: its rows now, its files after the commit. */
export function forgetBlobs({store, afterCommit}: DeletionContext, ids: readonly string[]): void {
  const gone = column<string>(
    store,
    `DELETE FROM blobs WHERE id IN (SELECT value FROM json_each(:ids))
     AND NOT EXISTS (SELECT 1 FROM revisions WHERE blob_id = blobs.id)
     AND NOT EXISTS (SELECT 1 FROM thumbnails WHERE blob_id = blobs.id) RETURNING id`,
    {ids: JSON.stringify(ids)},
  )
  for (const id of gone.filter(each => !isSmall(each))) afterCommit(() => store.content.remove(id))
}
