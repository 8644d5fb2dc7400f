import {deleteRows, updateRows} from '#lib/service/store/database/rows.js'
import type {Store} from '#lib/service/store/index.js'
import {saveFile} from './files.js'

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
export function revisionsBehind(
  store: Store,
  fileId: string,
  after: number,
  limit: number,
): readonly RevisionRow[] {
  return store.all<RevisionRow>(
    `${SELECT_REVISION} WHERE r.file_id = :fileId AND r.number > :after
     ORDER BY r.number LIMIT :limit`,
    {fileId, after, limit},
  )
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

/** The thumbnail that a caller sent for a file, as content. */
export function thumbnailOf(store: Store, fileId: string): Bytes | undefined {
  return store.get(
    `SELECT t.blob_id, b.size, b.md5, t.mime_type FROM thumbnails t JOIN blobs b ON b.id = t.blob_id
     WHERE t.file_id = :fileId`,
    {fileId},
  )
}
