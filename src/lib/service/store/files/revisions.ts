import {forbidden} from '#lib/service/errors.js'
import type {Blob} from '#lib/service/store/content/content.js'
import {isSmall} from '#lib/service/store/content/small.js'
import {
  column,
  deleteRows,
  findRow,
  insertRow,
  rowsBehind,
  updateRows,
} from '#lib/service/store/database/rows.js'
import {newOpaqueId} from '#lib/service/store/ids.js'
import type {Store} from '#lib/service/store/index.js'
import {fileById, saveFile} from './files.js'

/** Stands for a revision in the address of a thumbnail that a caller sent. */
export const THUMBNAIL = 'thumbnail'

/** What can change of a revision as stored. */
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

/** With what is known of its content. */
export interface RevisionRow extends RevisionColumns {
  readonly id: string
  readonly number: number
  readonly size: number
  readonly md5: string
}

/** What every reading of revisions starts with; conditions follow behind `WHERE`. */
const SELECT_REVISION = `
  SELECT r.*, b.size, b.md5 FROM revisions r JOIN blobs b ON b.id = r.blob_id`

/** The revision of this ID of a file; `null` is the head of a file without content. */
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

/** The revision of a file that was added last. */
export function newestRevision(store: Store, fileId: string): RevisionRow | undefined {
  return store.get<RevisionRow>(
    `${SELECT_REVISION} WHERE r.file_id = :fileId ORDER BY r.number DESC LIMIT 1`,
    {fileId},
  )
}

/** The first `limit` revisions of a file behind the one of the number `after`, the oldest first. */
export function revisionsAfter(
  store: Store,
  fileId: string,
  after: number,
  limit: number,
): readonly RevisionRow[] {
  const ofFile = `${SELECT_REVISION} WHERE r.file_id = :fileId`
  return rowsBehind(store, ofFile, 'r.number', {fileId, after, limit})
}

/** Takes a revision's row away. Its content, the head and the quota are the caller's to see to. */
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

/** Makes an older revision the head of its file again, which a user changes by that. */
export function restoreRevision(
  store: Store,
  fileId: string,
  {id, mime_type: type}: RevisionRow,
  by: {readonly modifier_id: number; readonly modified_at: number},
): void {
  saveRevision(store, fileId, id, {replaced_at: null})
  saveFile(store, fileId, {head_revision_id: id, mime_type: type, ...by})
}

/** Content and its type. */
export type Bytes = Pick<RevisionRow, 'blob_id' | 'size' | 'md5' | 'mime_type'>

/** Names the content that a file has now. */
export function renameContent(store: Store, fileId: string, originalFilename: string): void {
  store.run(
    `UPDATE revisions SET original_filename = :originalFilename
     WHERE file_id = :fileId AND id = (SELECT head_revision_id FROM files WHERE id = :fileId)`,
    {fileId, originalFilename},
  )
}

/** Puts a picture in place of the one that a caller sent before; `null` takes that away. */
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

/** The thumbnail that a caller sent for a file, as content. */
export function thumbnailOf(store: Store, fileId: string): Bytes | undefined {
  return store.get(
    `SELECT t.blob_id, b.size, b.md5, t.mime_type FROM thumbnails t JOIN blobs b ON b.id = t.blob_id
     WHERE t.file_id = :fileId`,
    {fileId},
  )
}

/** How long content that is not pinned stays once there is newer content, in ms (reference: resources.md, Revision). */
export const REVISION_LIFETIME = 30 * 24 * 3600 * 1000
/** How many revisions that are not pinned a file keeps, the head included. */
export const REVISION_LIMIT = 100
/** How many revisions of a file may be pinned. */
export const PIN_LIMIT = 200

/** What letting go of content needs of a call. */
interface Letting {
  readonly store: Store
  /** Does `work` once the transaction is on the disk. */
  afterCommit(work: () => void): void
}

interface Context extends Letting {
  readonly now: number
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

/** Makes content the head revision of a file and purges what was kept long enough; head and quota follow. Returns its ID. */
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

/** Enters content into the database, so that revisions can refer to it. */
export function registerBlob(store: Store, now: number, blob: Blob): void {
  const {id, size, md5, sha1, sha256, bytes} = blob
  insertRow(store, 'blobs', {id, size, md5, sha1, sha256, created_at: now, bytes})
}

/** Stores bytes that the service makes itself, and enters them. */
export function putBlob(store: Store, now: number, bytes: Buffer): Blob {
  const blob = store.content.put(bytes)
  registerBlob(store, now, blob)
  return blob
}

/** Removes content of a request that failed, unless a row names it: then only the way to the disk failed. */
export function discardBlob(store: Store, id: string): void {
  if (!findRow(store, 'blobs', {id})) store.content.remove(id)
}

/** Removes content that nothing refers to any more: from the database at once, from the disk after the commit. */
export function forgetBlobs({store, afterCommit}: Letting, ids: readonly string[]): void {
  const gone = column<string>(
    store,
    `DELETE FROM blobs WHERE id IN (SELECT value FROM json_each(:ids))
     AND NOT EXISTS (SELECT 1 FROM revisions WHERE blob_id = blobs.id)
     AND NOT EXISTS (SELECT 1 FROM thumbnails WHERE blob_id = blobs.id) RETURNING id`,
    {ids: JSON.stringify(ids)},
  )
  for (const id of gone.filter(each => !isSmall(each))) afterCommit(() => store.content.remove(id))
}
