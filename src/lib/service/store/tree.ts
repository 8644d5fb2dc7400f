import {DEPTH_LIMIT, FOLDER_TYPE} from '#lib/api/wire.js'
import {badRequest, forbidden, insufficientRole} from '#lib/service/errors.js'
import {type ChangeContext, recordChange, recordChanges} from './changes.js'
import {notifyWatchers} from './channels.js'
import {column} from './database/rows.js'
import {inSlices} from './database/slices.js'
import {fileById, type FileRow, saveFile, SUBTREE, subtree} from './files/files.js'
import type {Store} from './index.js'
import {type ReachedFile, requireFile, roleOn} from './sharing/access.js'
import {audiencesOf, type ItemAudience, sameLines} from './sharing/audience.js'
import {capabilitiesOf} from './sharing/capabilities.js'
import {removePermission} from './sharing/permissions.js'
import type {StoreCall} from './store-call.js'
import {userById} from './users.js'

/** Maximum number of items directly in a folder, except the root of My Drive, and in a shared drive as a whole. */
export const ITEM_LIMIT = 500_000

/** The folder for a new or moved item. Throws 404 if it does not exist, 403 if it is not a folder or the caller cannot add items to it. */
export function openParent(call: StoreCall, id: string, parameter: string): ReachedFile {
  const parent = requireFile(call, id, undefined, parameter)
  if (parent.mime_type !== FOLDER_TYPE) {
    throw forbidden(
      'parentNotAFolder',
      `${id} is not a folder. Use a folder as the parent.`,
      parameter,
    )
  }
  if (!capabilitiesOf(call.store, parent).canAddChildren) {
    throw forbidden(
      'insufficientParentPermissions',
      `You cannot add items to folder ${id}. Ask the owner of the folder for write access.`,
      parameter,
    )
  }
  return parent
}

/** Throws 403 if adding an item with `height` levels (1 for a file) to a folder would exceed a limit. */
export function checkTreeLimits(store: Store, parent: FileRow, height = 1): void {
  const inDrive = parent.drive_id !== null
  if (depthOf(store, parent.id) + height > DEPTH_LIMIT) {
    throw forbidden(
      inDrive ? 'teamDriveHierarchyTooDeep' : 'myDriveHierarchyDepthLimitExceeded',
      `Folders cannot be nested deeper than ${DEPTH_LIMIT} levels. Choose a folder further up.`,
    )
  }
  const counted = inDrive ? 'drive_id' : 'parent_id'
  if (!inDrive && parent.parent_id === null) return
  // Counting is slow and unnecessary unless the database ever had this many files.
  const {last} = store.get<{last: number | null}>('SELECT max(rowid) AS last FROM files')!
  if ((last ?? 0) < ITEM_LIMIT) return
  const full = store.get(
    `SELECT 1 FROM files WHERE ${counted} = :id LIMIT 1 OFFSET ${ITEM_LIMIT - 1}`,
    {id: inDrive ? parent.drive_id : parent.id},
  )
  if (!full) return
  throw forbidden(
    inDrive ? 'teamDriveFileLimitExceeded' : 'numChildrenInNonRootLimitExceeded',
    `The limit of ${ITEM_LIMIT} items is reached. Choose another folder.`,
  )
}

/**
 * Moves an item to another folder (reference: protocols.md, section 10). An item has one parent, so
 * adding a parent is a move. Throws 400 if the item is already there or would be below itself, 403 if
 * the caller is not allowed to move it. Between My Drive and a shared drive, the owner of the item
 * and of everything below it changes.
 */
export function moveInto(
  call: StoreCall,
  file: ReachedFile,
  parent: ReachedFile,
  parameter: string,
): void {
  if (file.parent_id === null) throw insufficientRole(file.id)
  if (file.parent_id === parent.id) {
    throw badRequest(`File ${file.id} is already in folder ${parent.id}.`, parameter)
  }
  const moved = subtree(call.store, file.id)
  if (moved.includes(parent.id)) {
    throw badRequest(`Folder ${file.id} cannot be moved into itself or a subfolder.`, parameter)
  }
  if (file.space !== parent.space) {
    throw forbidden(
      'notSupportedForAppDataFolderFiles',
      'Items cannot be moved into or out of the app data folder. Copy them instead.',
    )
  }
  const can = capabilitiesOf(call.store, file)
  const sameDrive = file.drive_id === parent.drive_id
  if (!(sameDrive ? can.canMoveItemWithinDrive : can.canMoveItemOutOfDrive)) {
    throw insufficientRole(file.id)
  }
  checkRemoval(call, file)
  checkTreeLimits(call.store, parent, heightOf(call.store, file.id))
  const before = audiencesOf(call.store, moved)
  if (!sameDrive) {
    checkOwned(call, moved)
    const changeDrive = (id: string) => changeDriveOf(call, id, parent.drive_id)
    changeDrive(file.id)
    call.inSlices(inSlices(moved.slice(1), ids => ids.forEach(changeDrive)))
  }
  reparent(call, file.id, parent.id, before)
}

/** Moves an item to its owner's root folder. Throws 403 in shared drives, and if the caller is not allowed to move it. */
export function moveToOwnersRoot(call: StoreCall, file: ReachedFile): void {
  if (!capabilitiesOf(call.store, file).canRemoveMyDriveParent) throw insufficientRole(file.id)
  checkRemoval(call, file)
  moveToRoot(call, file.id, file.owner_id!)
}

/** Moves an item to the root folder of a user's My Drive. */
export function moveToRoot(context: ChangeContext, id: string, userId: number): void {
  const {store} = context
  const {root_id: root} = userById(store, userId)!
  reparent(context, id, root, audiencesOf(store, subtree(store, id)))
}

/** Sets the parent of an item, updates `trashed` and records the changes. `before` has the audiences of the item and of everything below it. */
function reparent(
  context: ChangeContext,
  id: string,
  parentId: string,
  before: ReadonlyMap<string, ItemAudience>,
): void {
  const {store, now} = context
  const oldParent = fileById(store, id)!.parent_id
  saveFile(store, id, {parent_id: parentId})
  const wrong = new Set(inconsistentlyTrashed(store, id))
  if (wrong.has(id)) toggleTrashed(store, [id])
  recordChange(store, now, id, 'update', ['parents'], before.get(id))
  if (oldParent !== null && oldParent !== parentId) {
    notifyWatchers(store, now, oldParent, 'update', ['children'])
  }
  const below = [...before.keys()].filter(each => each !== id)
  context.inSlices(
    inSlices(below, ids => {
      toggleTrashed(
        store,
        ids.filter(each => wrong.has(each)),
      )
      for (const [each, after] of audiencesOf(store, ids)) {
        const audience = before.get(each)!
        if (!sameLines(after, audience) || wrong.has(each)) {
          recordChange(store, now, each, 'update', [], audience, after)
        }
      }
    }),
  )
}

/** Throws 403 unless the caller owns the item or can remove items from its folder. */
function checkRemoval(call: StoreCall, file: ReachedFile): void {
  if (file.role === 'owner' || file.drive_id !== null) return
  const folder = fileById(call.store, file.parent_id!)!
  const role = roleOn(call.store, call.user, folder, call.now)
  if (role && capabilitiesOf(call.store, {...folder, role}).canRemoveChildren) return
  throw forbidden(
    'insufficientParentPermissions',
    `You cannot remove items from the folder that contains file ${file.id}. Ask the owner of the folder for write access.`,
  )
}

/** Throws 403 if another user owns one of these items of My Drive. */
function checkOwned({store, user}: StoreCall, ids: readonly string[]): void {
  const foreign = store.get<{id: string}>(
    `SELECT id FROM files WHERE id IN (SELECT value FROM json_each(:ids))
     AND drive_id IS NULL AND owner_id <> :userId LIMIT 1`,
    {ids: JSON.stringify(ids), userId: user.id},
  )
  if (foreign) throw insufficientRole(foreign.id)
}

/** Makes a shared drive, or the caller (`null`), the owner of an item. */
function changeDriveOf({store, user}: StoreCall, id: string, driveId: string | null): void {
  saveFile(store, id, {drive_id: driveId, owner_id: driveId === null ? user.id : null})
  if (driveId !== null) return
  // Remove the permission of the new owner, and roles that are only valid in shared drives.
  removePermission(store, id, user.permission_id)
  store.run(
    `UPDATE permissions SET role = 'writer'
     WHERE file_id = :id AND role IN ('organizer', 'fileOrganizer')`,
    {id},
  )
}

/** The depth of a folder: 0 for a root folder, 1 for a folder in it. */
function depthOf(store: Store, id: string): number {
  return store.get<{depth: number}>(
    `WITH RECURSIVE up(id, parent_id, depth) AS (
       SELECT id, parent_id, 0 FROM files WHERE id = :id
       UNION ALL SELECT f.id, f.parent_id, up.depth + 1 FROM up CROSS JOIN files f ON f.id = up.parent_id
     ) SELECT max(depth) AS depth FROM up`,
    {id},
  )!.depth
}

/** The number of levels of an item and everything below it; 1 for a file. */
function heightOf(store: Store, id: string): number {
  return store.get<{height: number}>(`${SUBTREE} SELECT max(depth) + 1 AS height FROM below`, {id})!
    .height
}

/** The item and those below it whose `trashed` does not match `explicitly_trashed` of themselves and the folders above, nearest first. */
export function inconsistentlyTrashed(store: Store, id: string): string[] {
  // CROSS keeps SQLite from scanning all files.
  return column(
    store,
    `WITH RECURSIVE below(id, depth, was, trashed) AS (
       SELECT f.id, 0, f.trashed, max(f.explicitly_trashed, coalesce(p.trashed, 0))
       FROM files f LEFT JOIN files p ON p.id = f.parent_id WHERE f.id = :id
       UNION ALL
       SELECT f.id, below.depth + 1, f.trashed, max(f.explicitly_trashed, below.trashed)
       FROM below CROSS JOIN files f ON f.parent_id = below.id
     )
     SELECT id FROM below WHERE was <> trashed ORDER BY depth`,
    {id},
  )
}

/** Inverts `trashed` of these items. */
export function toggleTrashed({run}: Pick<Store, 'run'>, ids: readonly string[]): void {
  run(`UPDATE files SET trashed = 1 - trashed WHERE id IN (SELECT value FROM json_each(:ids))`, {
    ids: JSON.stringify(ids),
  })
}

/** Moves an item and everything below it to the trash, or restores it, except items below that were trashed themselves (reference: protocols.md, section 11). */
export function setTrashed(
  context: ChangeContext & Pick<StoreCall, 'user'>,
  file: FileRow,
  trashed: boolean,
): void {
  if (file.explicitly_trashed === Number(trashed)) return
  const {store, now, user} = context
  saveFile(store, file.id, {
    explicitly_trashed: Number(trashed),
    trashed_at: trashed ? now : null,
    trasher_id: trashed ? user.id : null,
  })
  const state = trashed ? 'trash' : 'untrash'
  const wrong = inconsistentlyTrashed(store, file.id)
  if (wrong[0] === file.id) toggleTrashed(store, [wrong.shift()!])
  recordChange(store, now, file.id, state)
  context.inSlices(
    inSlices(wrong, ids => {
      toggleTrashed(store, ids)
      recordChanges(store, now, ids, state)
    }),
  )
}
