import {type ChangeContext, recordDriveChange, recordRemoval} from './changes.js'
import {column, deleteRows} from './database/rows.js'
import {inSlices, SLICE, type Slices} from './database/slices.js'
import {type FileRow, HOLDER, SUBTREES} from './files/files.js'
import {forgetBlobs} from './files/revisions.js'
import type {Store} from './index.js'
import {audienceOf} from './sharing/audience.js'
import type {StoreCall} from './store-call.js'
import {moveToRoot} from './tree.js'

export type RemovalContext = ChangeContext & Pick<StoreCall, 'afterCommit'>

/** What was itself put into the trash of `:holder`. */
const IS_IN_TRASH = `${HOLDER} = :holder AND explicitly_trashed = 1 AND space = 'drive'`

/** What of an item is needed to delete it. */
type Doomed = Pick<FileRow, 'id' | 'owner_id' | 'parent_id' | 'space' | 'client_id'>

/** Deletes items of one owner with all of theirs below; what others own goes to their roots (reference: protocols.md, section 10). */
export function* deleteTrees(context: RemovalContext, ids: readonly string[]): Slices {
  const {store, now} = context
  const below = itemsBelow(store, ids)
  const ownerId = below[0]?.owner_id
  const doomed = below.filter(file => file.owner_id === ownerId)
  const doomedIds = new Set(doomed.map(file => file.id))
  const strays = below.filter(file => file.owner_id !== ownerId && doomedIds.has(file.parent_id!))
  for (const [index, {id, owner_id}] of strays.entries()) {
    if (index > 0 && index % SLICE === 0) yield 'goesOn'
    const rest: Slices[] = []
    moveToRoot({...context, inSlices: more => rest.push(more)}, id, owner_id!)
    for (const more of rest) yield* more
  }
  yield* inSlices(doomed, some => {
    for (const file of some) recordRemoval(store, now, file, audienceOf(store, file.id))
  })
  // The deepest first: a folder's row cannot go before the rows in it. Their own parents may have
  // moved to another owner's root meanwhile, so the order of depth still holds.
  yield* inSlices(doomed.reverse(), some => removeRows(context, some))
}

/** Deletes a shared drive with all that is in it. */
export function* deleteDrive(context: RemovalContext, id: string): Slices {
  const {store, now} = context
  recordDriveChange(store, now, id, audienceOf(store, id).lines.keys(), true)
  yield* deleteTrees(context, [id])
  deleteRows(store, 'drives', {id})
}

/** Deletes what is in the trash of a user or a shared drive, item by item; between them others may write. */
export function* emptyTrash(context: RemovalContext, holder: number | string): Slices {
  const trashed = column<string>(
    context.store,
    `SELECT id FROM files WHERE ${IS_IN_TRASH} AND trashed = 1`,
    {holder},
  )
  for (let start = 0; start < trashed.length; start += SLICE) {
    if (start > 0) yield 'standsAlone'
    yield* deleteTrashed(context, holder, trashed.slice(start, start + SLICE))
  }
}

/** Deletes those that are still in the trash: some may have gone with a folder above, or have been taken out. */
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
  const isMuch = left.length > 1 && itemsBelow(context.store, left).length > 2 * SLICE
  if (!isMuch) return yield* deleteTrees(context, left)
  for (const id of left) {
    yield* deleteTrashed(context, holder, [id])
    yield 'standsAlone'
  }
}

/** The items and all below them, the nearest first; once each, also where one is below another. */
function itemsBelow(store: Store, ids: readonly string[]): Doomed[] {
  return store.all(
    `${SUBTREES}
     SELECT f.id, f.owner_id, f.parent_id, f.space, f.client_id
     FROM (SELECT id, max(depth) AS depth FROM below GROUP BY id) b
     CROSS JOIN files f ON f.id = b.id ORDER BY b.depth`,
    {ids: JSON.stringify(ids)},
  )
}

function removeRows(context: RemovalContext, files: readonly Doomed[]): void {
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
