import {DEPTH_LIMIT, FOLDER_TYPE} from '#lib/api/wire.js'
import {badRequest, forbidden, insufficientRole} from '#lib/service/errors.js'
import {type ChangeContext, recordChange} from './changes.js'
import {notifyWatchers} from './channels.js'
import {column} from './database/rows.js'
import {inSlices} from './database/slices.js'
import {fileById, type FileRow, saveFile, SUBTREE, subtree} from './files/files.js'
import type {Store} from './index.js'
import {type OpenFile, openFile, roleOn} from './sharing/access.js'
import {type Audience, audienceOf, sameLines} from './sharing/audience.js'
import {capabilitiesOf} from './sharing/capabilities.js'
import {removePermission} from './sharing/permissions.js'
import type {StoreCall} from './store-call.js'
import {userById} from './users.js'

/** How many items a folder may have directly in it, the top of My Drive excepted, or a shared drive in all. */
export const ITEM_LIMIT = 500_000

/** The folder that something shall be put in: 404 unknown, 403 no folder or not the caller's to fill. */
export function openParent(call: StoreCall, id: string, parameter: string): OpenFile {
  const parent = openFile(call, id, undefined, parameter)
  if (parent.mime_type !== FOLDER_TYPE) {
    throw forbidden(
      'parentNotAFolder',
      `${id} is not a folder. Name a folder as the parent.`,
      parameter,
    )
  }
  if (!capabilitiesOf(call.store, parent).canAddChildren) {
    throw forbidden(
      'insufficientParentPermissions',
      `You may not put items into folder ${id}. Ask its owner for the role writer.`,
      parameter,
    )
  }
  return parent
}

/** 403 when a folder cannot take one more item with `height` levels of its own (1 for a plain file). */
export function checkRoom(store: Store, parent: FileRow, height = 1): void {
  const inDrive = parent.drive_id !== null
  if (depthOf(store, parent.id) + height > DEPTH_LIMIT) {
    throw forbidden(
      inDrive ? 'teamDriveHierarchyTooDeep' : 'myDriveHierarchyDepthLimitExceeded',
      `Folders can be ${DEPTH_LIMIT} levels deep, and this would be deeper. Choose a folder further up.`,
    )
  }
  const counted = inDrive ? 'drive_id' : 'parent_id'
  if (!inDrive && parent.parent_id === null) return
  // Counting takes its time, and is of no use where there never were as many files in all.
  const {most} = store.get<{most: number | null}>('SELECT max(rowid) AS most FROM files')!
  if ((most ?? 0) < ITEM_LIMIT) return
  const full = store.get(
    `SELECT 1 FROM files WHERE ${counted} = :id LIMIT 1 OFFSET ${ITEM_LIMIT - 1}`,
    {id: inDrive ? parent.drive_id : parent.id},
  )
  if (!full) return
  throw forbidden(
    inDrive ? 'teamDriveFileLimitExceeded' : 'numChildrenInNonRootLimitExceeded',
    `There are ${ITEM_LIMIT} items already, the most there can be. Choose another place.`,
  )
}

/**
 * Moves an item into another folder; 400 when it is there already or would end below itself, 403
 * where the caller may not (reference: protocols.md, section 10; parents are one link, so adding a
 * parent is a move). Between My Drive and a shared drive the ownership of all below it changes.
 */
export function moveInto(
  call: StoreCall,
  file: OpenFile,
  parent: OpenFile,
  parameter: string,
): void {
  if (file.parent_id === null) throw insufficientRole(file.id)
  if (file.parent_id === parent.id) {
    throw badRequest(`File ${file.id} is in folder ${parent.id} already.`, parameter)
  }
  const moved = subtree(call.store, file.id)
  if (moved.includes(parent.id)) {
    throw badRequest(`Folder ${file.id} cannot be put into itself or below itself.`, parameter)
  }
  if (file.space !== parent.space) {
    throw forbidden(
      'notSupportedForAppDataFolderFiles',
      'Items cannot be moved into the app data folder or out of it. Copy them instead.',
    )
  }
  const can = capabilitiesOf(call.store, file)
  const sameDrive = file.drive_id === parent.drive_id
  if (!(sameDrive ? can.canMoveItemWithinDrive : can.canMoveItemOutOfDrive)) {
    throw insufficientRole(file.id)
  }
  checkRelease(call, file)
  checkRoom(call.store, parent, heightOf(call.store, file.id))
  const before = audiencesBelow(call.store, moved)
  if (!sameDrive) {
    checkOwned(call, moved)
    const changeDrive = (id: string) => changeDriveOf(call, id, parent.drive_id)
    changeDrive(file.id)
    call.inSlices(inSlices(moved.slice(1), ids => ids.forEach(changeDrive)))
  }
  reparent(call, file.id, parent.id, before)
}

/** Takes an item out of its folder: without one it goes to its owner's root. 403 in shared drives, where there is no other place. */
export function moveToOwnersRoot(call: StoreCall, file: OpenFile): void {
  if (!capabilitiesOf(call.store, file).canRemoveMyDriveParent) throw insufficientRole(file.id)
  checkRelease(call, file)
  moveToRoot(call, file.id, file.owner_id!)
}

/** Hangs an item to the top of someone's My Drive. */
export function moveToRoot(context: ChangeContext, id: string, userId: number): void {
  const {store} = context
  const {root_id: root} = userById(store, userId)!
  reparent(context, id, root, audiencesBelow(store, subtree(store, id)))
}

/** Who sees these items. */
function audiencesBelow(store: Store, ids: readonly string[]): ReadonlyMap<string, Audience> {
  return new Map(ids.map(id => [id, audienceOf(store, id)]))
}

/** Hangs an item elsewhere, with all that follows from it. `before`: who saw it and what is below it, and where. */
function reparent(
  context: ChangeContext,
  id: string,
  parentId: string,
  before: ReadonlyMap<string, Audience>,
): void {
  const {store, now} = context
  const left = fileById(store, id)!.parent_id
  saveFile(store, id, {parent_id: parentId})
  const wrong = new Set(wronglyTrashed(store, id))
  if (wrong.has(id)) turnTrashed(store, [id])
  recordChange(store, now, id, 'update', ['parents'], before.get(id))
  if (left !== null && left !== parentId) {
    notifyWatchers(store, now, left, 'update', ['children'])
  }
  const below = [...before.keys()].filter(each => each !== id)
  context.inSlices(
    inSlices(below, ids => {
      turnTrashed(
        store,
        ids.filter(each => wrong.has(each)),
      )
      for (const each of ids) {
        const audience = before.get(each)!
        if (!sameLines(audienceOf(store, each), audience) || wrong.has(each)) {
          recordChange(store, now, each, 'update', [], audience)
        }
      }
    }),
  )
}

/** Whoever does not own an item needs a say in the folder it leaves. */
function checkRelease(call: StoreCall, file: OpenFile): void {
  if (file.role === 'owner' || file.drive_id !== null) return
  const folder = fileById(call.store, file.parent_id!)!
  const role = roleOn(call.store, call.user, folder, call.now)
  if (role && capabilitiesOf(call.store, {...folder, role}).canRemoveChildren) return
  throw forbidden(
    'insufficientParentPermissions',
    `You may not take items out of the folder of ${file.id}. Ask its owner for the role writer.`,
  )
}

/** 403 where somebody else owns one of these items of My Drive. */
function checkOwned({store, user}: StoreCall, ids: readonly string[]): void {
  const foreign = store.get<{id: string}>(
    `SELECT id FROM files WHERE id IN (SELECT value FROM json_each(:ids))
     AND drive_id IS NULL AND owner_id <> :userId LIMIT 1`,
    {ids: JSON.stringify(ids), userId: user.id},
  )
  if (foreign) throw insufficientRole(foreign.id)
}

/** Hands an item over to a shared drive, or from one to the caller (`null`). */
function changeDriveOf({store, user}: StoreCall, id: string, driveId: string | null): void {
  saveFile(store, id, {drive_id: driveId, owner_id: driveId === null ? user.id : null})
  if (driveId !== null) return
  // Roles that only shared drives have, and a grant to the one who is owner now.
  removePermission(store, id, user.permission_id)
  store.run(
    `UPDATE permissions SET role = 'writer'
     WHERE file_id = :id AND role IN ('organizer', 'fileOrganizer')`,
    {id},
  )
}

/** How many folders lie above and including this one, its top folder not counted. */
function depthOf(store: Store, id: string): number {
  return store.get<{depth: number}>(
    `WITH RECURSIVE up(id, parent_id, depth) AS (
       SELECT id, parent_id, 0 FROM files WHERE id = :id
       UNION ALL SELECT f.id, f.parent_id, up.depth + 1 FROM up CROSS JOIN files f ON f.id = up.parent_id
     ) SELECT max(depth) AS depth FROM up`,
    {id},
  )!.depth
}

/** How many levels an item and what is below it take. */
function heightOf(store: Store, id: string): number {
  return store.get<{height: number}>(`${SUBTREE} SELECT max(depth) + 1 AS height FROM below`, {id})!
    .height
}

/** The item and those below it whose `trashed` is not in line with what was trashed itself, the nearest first. */
export function wronglyTrashed(store: Store, id: string): string[] {
  // CROSS keeps SQLite from going through all files there are.
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

/** Turns `trashed` of these items into the opposite. */
export function turnTrashed({run}: Pick<Store, 'run'>, ids: readonly string[]): void {
  run(`UPDATE files SET trashed = 1 - trashed WHERE id IN (SELECT value FROM json_each(:ids))`, {
    ids: JSON.stringify(ids),
  })
}

/** Puts an item with all below it into the trash or takes it out, but for what was trashed itself (reference: protocols.md, section 11). */
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
  const wrong = wronglyTrashed(store, file.id)
  if (wrong[0] === file.id) turnTrashed(store, [wrong.shift()!])
  recordChange(store, now, file.id, state)
  context.inSlices(
    inSlices(wrong, ids => {
      turnTrashed(store, ids)
      for (const id of ids) recordChange(store, now, id, state)
    }),
  )
}
