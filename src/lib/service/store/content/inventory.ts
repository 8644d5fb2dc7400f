import type {ReadOnlyDatabase} from '#lib/service/store/database/inspect.js'
import {findRow} from '#lib/service/store/database/rows.js'
import type {Known} from './trouble.js'

/** What a database says of its contents, for those who only look. */

/** How many contents there are, and their bytes. */
export function contentTotals(database: ReadOnlyDatabase) {
  return database.get<{contents: number; bytes: number}>(
    'SELECT count(*) AS contents, coalesce(sum(size), 0) AS bytes FROM blobs',
  )!
}

/** The first `limit` contents with IDs behind `after`. */
export function contentsBehind(database: ReadOnlyDatabase, after: string, limit: number) {
  return database.all<Known>(
    'SELECT id, size, md5 FROM blobs WHERE id > :after ORDER BY id LIMIT :limit',
    {after, limit},
  )
}

/** The row of content, with its bytes where they are in it; `undefined` once it is deleted. */
export function contentRow(database: ReadOnlyDatabase, id: string) {
  return findRow<{bytes: Buffer | null}>(database, 'blobs', {id})
}

/** The files that have content, now, in an older revision or (without `revision_id`) as the thumbnail. */
export function holdersOf(database: ReadOnlyDatabase, blobId: string) {
  return database.all<{id: string; title: string; revision_id: string | null}>(
    `SELECT f.id, f.title, u.revision_id FROM (
       SELECT file_id, id AS revision_id FROM revisions WHERE blob_id = :blobId
       UNION ALL SELECT file_id, NULL FROM thumbnails WHERE blob_id = :blobId
     ) u JOIN files f ON f.id = u.file_id ORDER BY f.id, u.revision_id`,
    {blobId},
  )
}

/** Uploads under way: their content is being filled. A finished one's content is among the others. */
const UNDER_WAY = 'FROM uploads WHERE answer IS NULL AND expires_at > :now'

/** The first `limit` uploads under way with IDs behind `after`. */
export function uploadsBehind(
  database: ReadOnlyDatabase,
  after: string,
  limit: number,
  now: number,
) {
  return database.all<{id: string; blob_id: string; received: number}>(
    `SELECT id, blob_id, received ${UNDER_WAY} AND id > :after ORDER BY id LIMIT :limit`,
    {now, after, limit},
  )
}

export function isUnderWay(database: ReadOnlyDatabase, uploadId: string, now: number): boolean {
  return database.get(`SELECT 1 ${UNDER_WAY} AND id = :uploadId`, {now, uploadId}) !== undefined
}

/** Whether the database has let go of content whose file is still there: the next start removes it. */
export function isLetGo(database: ReadOnlyDatabase, id: string): boolean {
  return findRow(database, 'deleted_content', {id}) !== undefined
}
