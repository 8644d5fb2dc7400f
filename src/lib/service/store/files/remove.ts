import type {Call} from '../../call.js'
import {audienceOf} from '../sharing/audience.js'
import {forgetBlobs} from '../content/blobs.js'
import {recordDriveChange, recordRemoval} from '../changes.js'
import {fileById, HOLDER, subtree} from './files.js'
import type {Store} from '../index.js'
import {reparent, rootOf} from './tree.js'

type Context = Pick<Call, 'store' | 'now' | 'afterCommit'>

/**
 * Deletes an item for good. With it goes everything below it that has the same owner; what others
 * own goes to their roots (reference: protocols.md, section 10). In a shared drive all below goes.
 */
export function deleteTree(call: Context, id: string): void {
  const {store} = call
  const ownerId = fileById(store, id)!.owner_id
  const below = subtree(store, id).map(each => fileById(store, each)!)
  const doomed = below.filter(file => file.owner_id === ownerId)
  const doomedIds = new Set(doomed.map(file => file.id))
  for (const file of below) {
    if (doomedIds.has(file.id) || !doomedIds.has(file.parent_id!)) continue
    const before = new Map(subtree(store, file.id).map(each => [each, audienceOf(store, each)]))
    reparent(call, file.id, rootOf(store, file.owner_id!), before)
  }
  for (const file of doomed) recordRemoval(store, call.now, file, audienceOf(store, file.id))
  // The deepest first: a folder's row cannot go before the rows in it. Their own parents may have
  // moved to another owner's root meanwhile, so the order of depth still holds.
  for (const file of doomed.reverse()) removeRow(call, file.id)
}

/** Deletes a shared drive with all that is in it. */
export function deleteDrive(call: Context, id: string): void {
  const {store, now} = call
  recordDriveChange(store, now, id, audienceOf(store, id).lines.keys(), true)
  deleteTree(call, id)
  store.run('DELETE FROM drives WHERE id = :id', {id})
}

/** Deletes everything in the trash of a user, or of a shared drive (reference: protocols.md, section 11). */
export function emptyTrash(
  call: Context,
  of: {readonly ownerId: number} | {readonly driveId: string},
): void {
  const {store} = call
  for (const {id} of trashedItems(store, of)) {
    if (fileById(store, id)) deleteTree(call, id)
  }
}

function trashedItems(
  store: Store,
  of: {readonly ownerId: number} | {readonly driveId: string},
): {id: string}[] {
  return 'driveId' in of
    ? store.all('SELECT id FROM files WHERE drive_id = :driveId AND explicitly_trashed = 1', {
        driveId: of.driveId,
      })
    : store.all(
        `SELECT id FROM files WHERE ${HOLDER} = :ownerId AND explicitly_trashed = 1
         AND space = 'drive'`,
        {ownerId: of.ownerId},
      )
}

function removeRow(call: Context, fileId: string): void {
  const {store} = call
  const blobs = store.all<{blob_id: string}>(
    `SELECT blob_id FROM revisions WHERE file_id = :fileId
     UNION SELECT blob_id FROM thumbnails WHERE file_id = :fileId`,
    {fileId},
  )
  store.run('DELETE FROM files WHERE id = :fileId', {fileId})
  forgetBlobs(
    call,
    blobs.map(row => row.blob_id),
  )
}
