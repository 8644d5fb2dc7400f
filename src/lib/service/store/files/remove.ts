import type {Call} from '../../call.js'
import {audienceOf} from '../sharing/audience.js'
import {forgetBlobs} from '../content/blobs.js'
import {column, deleteRows} from '../database/rows.js'
import {recordDriveChange, recordRemoval} from '../changes.js'
import {fileById, HOLDER, subtree} from './files.js'
import {moveToRoot} from './tree.js'

export type RemovalContext = Pick<Call, 'store' | 'now' | 'afterCommit'>

/**
 * Deletes an item for good. With it goes everything below it that has the same owner; what others
 * own goes to their roots (reference: protocols.md, section 10). In a shared drive all below goes.
 */
export function deleteTree(call: RemovalContext, id: string): void {
  const {store} = call
  const ownerId = fileById(store, id)!.owner_id
  const below = subtree(store, id).map(each => fileById(store, each)!)
  const doomed = below.filter(file => file.owner_id === ownerId)
  const doomedIds = new Set(doomed.map(file => file.id))
  for (const file of below) {
    if (doomedIds.has(file.id) || !doomedIds.has(file.parent_id!)) continue
    moveToRoot(call, file.id, file.owner_id!)
  }
  for (const file of doomed) recordRemoval(store, call.now, file, audienceOf(store, file.id))
  // The deepest first: a folder's row cannot go before the rows in it. Their own parents may have
  // moved to another owner's root meanwhile, so the order of depth still holds.
  for (const file of doomed.reverse()) removeRow(call, file.id)
}

/** Deletes a shared drive with all that is in it. */
export function deleteDrive(call: RemovalContext, id: string): void {
  const {store, now} = call
  recordDriveChange(store, now, id, audienceOf(store, id).lines.keys(), true)
  deleteTree(call, id)
  deleteRows(store, 'drives', {id})
}

/** Deletes everything in the trash of a user or a shared drive, by its ID (reference: protocols.md, section 11). */
export function emptyTrash(call: RemovalContext, holder: number | string): void {
  const {store} = call
  const trashed = column<string>(
    store,
    `SELECT id FROM files WHERE ${HOLDER} = :holder AND explicitly_trashed = 1 AND space = 'drive'`,
    {holder},
  )
  for (const id of trashed) if (fileById(store, id)) deleteTree(call, id)
}

function removeRow(call: RemovalContext, fileId: string): void {
  const {store} = call
  const blobs = column<string>(
    store,
    `SELECT blob_id FROM revisions WHERE file_id = :fileId
     UNION SELECT blob_id FROM thumbnails WHERE file_id = :fileId`,
    {fileId},
  )
  deleteRows(store, 'files', {id: fileId})
  forgetBlobs(call, blobs)
}
