import {type ChangeContext, recordDriveChange, recordRemoval} from './changes.js'
import {column, deleteRows} from './database/rows.js'
import {inSlices, SLICE, type Slices} from './database/slices.js'
import {type FileRow, HOLDER, SUBTREES} from './files/files.js'
import {forgetBlobs} from './files/revisions.js'
import type {Store} from './index.js'
import {audienceOf, audiencesOf} from './sharing/audience.js'
import type {StoreCall} from './store-call.js'
import {moveToRoot} from './tree.js'

export type RemovalContext = ChangeContext & Pick<StoreCall, 'afterCommit'>

/** The condition for items that were trashed themselves and belong to `:holder`. */
const IS_IN_TRASH = `${HOLDER} = :holder AND explicitly_trashed = 1 AND space = 'drive'`

/** The columns of an item that deleting it needs. */
type DeletedItem = Pick<FileRow, 'id' | 'owner_id' | 'parent_id' | 'space' | 'client_id'>

/** Deletes items of one owner and everything below them that has the same owner. Items of others move to their owners' root folders (reference: protocols.md, section 10). */
export function* deleteTrees(context: RemovalContext, ids: readonly string[]): Slices {
  const {store, now} = context
  const below = itemsBelow(store, ids)
  const ownerId = below[0]?.owner_id
  const deleted = below.filter(file => file.owner_id === ownerId)
  const deletedIds = new Set(deleted.map(file => file.id))
  const moved = below.filter(file => file.owner_id !== ownerId && deletedIds.has(file.parent_id!))
  for (const [index, {id, owner_id}] of moved.entries()) {
    if (index > 0 && index % SLICE === 0) yield 'continue'
    const rest: Slices[] = []
    moveToRoot({...context, inSlices: more => rest.push(more)}, id, owner_id!)
    for (const more of rest) yield* more
  }
  yield* inSlices(deleted, some => {
    const audiences = audiencesOf(
      store,
      some.map(({id}) => id),
    )
    for (const file of some) recordRemoval(store, now, file, audiences.get(file.id)!)
  })
  // Deepest first: the rows in a folder must be deleted before that of the folder. Folders that moved
  // to another owner's root do not affect this order.
  yield* inSlices(deleted.reverse(), some => removeRows(context, some))
}

/** Deletes a shared drive and everything in it. */
export function* deleteDrive(context: RemovalContext, id: string): Slices {
  const {store, now} = context
  recordDriveChange(store, now, id, audienceOf(store, id).lines.keys(), true)
  yield* deleteTrees(context, [id])
  deleteRows(store, 'drives', {id})
}

/** Deletes everything in the trash of a user or a shared drive. It can commit between items, so that others can write. */
export function* emptyTrash(context: RemovalContext, holder: number | string): Slices {
  const trashed = column<string>(
    context.store,
    `SELECT id FROM files WHERE ${IS_IN_TRASH} AND trashed = 1`,
    {holder},
  )
  for (let start = 0; start < trashed.length; start += SLICE) {
    if (start > 0) yield 'commitPoint'
    yield* deleteTrashed(context, holder, trashed.slice(start, start + SLICE))
  }
}

/** Deletes the items that are still in the trash. Some may have been deleted with a folder, or restored. */
function* deleteTrashed(
  context: RemovalContext,
  holder: number | string,
  ids: readonly string[],
): Slices {
  const left = column<string>(
    context.store,
    `SELECT id FROM files WHERE id IN (SELECT value FROM json_each(:ids)) AND +${IS_IN_TRASH}`,
    {holder, ids: JSON.stringify(ids)},
  )
  const isLarge = left.length > 1 && itemsBelow(context.store, left).length > 2 * SLICE
  if (!isLarge) return yield* deleteTrees(context, left)
  for (const id of left) {
    yield* deleteTrashed(context, holder, [id])
    yield 'commitPoint'
  }
}

/** The items and everything below them, nearest first, each item once. */
function itemsBelow(store: Store, ids: readonly string[]): DeletedItem[] {
  return store.all(
    `${SUBTREES}
     SELECT f.id, f.owner_id, f.parent_id, f.space, f.client_id
     FROM (SELECT id, max(depth) AS depth FROM below GROUP BY id) b
     CROSS JOIN files f ON f.id = b.id ORDER BY b.depth`,
    {ids: JSON.stringify(ids)},
  )
}

function removeRows(context: RemovalContext, files: readonly DeletedItem[]): void {
  const {store} = context
  const ids = JSON.stringify(files.map(({id}) => id))
  const blobs = column<string>(
    store,
    `SELECT blob_id FROM revisions WHERE file_id IN (SELECT value FROM json_each(:ids))
     UNION SELECT blob_id FROM thumbnails WHERE file_id IN (SELECT value FROM json_each(:ids))`,
    {ids},
  )
  store.run('DELETE FROM files WHERE id IN (SELECT value FROM json_each(:ids))', {ids})
  forgetBlobs(context, blobs)
}
