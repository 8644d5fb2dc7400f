import {column, findRow, insertRow} from '#lib/service/store/database/rows.js'
import type {Store} from '#lib/service/store/index.js'
import type {StoreCall} from '#lib/service/store/store-call.js'
import type {Blob} from './content.js'
import {isSmall} from './small.js'

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

/**
 * Removes content that a request brought which failed. What a row names stays: where only the way
 * to the disk failed, all is written that the request wanted.
 */
export function discardBlob(store: Store, id: string): void {
  if (!findRow(store, 'blobs', {id})) store.content.remove(id)
}

/**
 * Lets go of content: what no revision and no thumbnail refers to any more is gone from the
 * database at once and from the disk when the transaction is. Call it after the rows changed.
 */
export function forgetBlobs(
  {store, afterCommit}: Pick<StoreCall, 'store' | 'afterCommit'>,
  ids: readonly string[],
): void {
  const gone = column<string>(
    store,
    `DELETE FROM blobs WHERE id IN (SELECT value FROM json_each(:ids))
     AND NOT EXISTS (SELECT 1 FROM revisions WHERE blob_id = blobs.id)
     AND NOT EXISTS (SELECT 1 FROM thumbnails WHERE blob_id = blobs.id) RETURNING id`,
    {ids: JSON.stringify(ids)},
  )
  for (const id of gone.filter(each => !isSmall(each))) afterCommit(() => store.content.remove(id))
}
