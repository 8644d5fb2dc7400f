import type {Call} from '#lib/service/call.js'
import {badRequest, insufficientRole, notFound} from '#lib/service/errors.js'
import {recordAccessChange, recordDriveChange} from '#lib/service/store/changes.js'
import {checkOrganizerStays} from '#lib/service/store/drives.js'
import {moveToRoot} from '#lib/service/store/files/tree.js'
import {atLeast, type OpenFile, type Role} from '#lib/service/store/sharing/access.js'
import {
  type EffectivePermission,
  effectivePermissions,
  type NewPermission,
  noteShared,
  ownGrant,
  savePermission,
  transferOwnership,
} from '#lib/service/store/sharing/permissions.js'
import {type User, userById, userByPermissionId} from '#lib/service/store/users.js'

/**
 * The rules of sharing live here (reference: protocols.md, section 12): in this file those that need
 * the store, and what sharing does to an item. Roles and permissions as stored belong to ../store/sharing.
 */

/** Refuses to give or take what is above the caller's own role, and to leave a drive without organizer. */
export function checkGrant(
  call: Call,
  file: OpenFile,
  known: EffectivePermission | undefined,
  role: Role,
  pendingOwner: boolean,
): void {
  const own = known && ownGrant(known)
  if (!atLeast(file.role, role) || (own && !atLeast(file.role, own.role))) {
    throw insufficientRole(file.id)
  }
  if (pendingOwner && !known?.pendingOwner) requireOwner(file)
  if (own && role !== own.role) checkOrganizerStays(call.store, file.id, own.role)
}

/** Gives access, or replaces what the same principal has on the item, and notes with whom it is shared. */
export function give(call: Call, file: OpenFile, permission: NewPermission): void {
  const {store, user, now} = call
  const account = permission.type === 'user' ? userByPermissionId(store, permission.id) : undefined
  changeAccess(call, file, account, () => {
    savePermission(store, file.id, permission)
    if (account && file.id !== file.drive_id) noteShared(store, file.id, account, user, now)
  })
}

/**
 * Makes someone the owner of a My Drive item; with `toRoot` it goes to their My Drive, else it
 * stays in its folder.
 */
export function giveOwnership(
  call: Call,
  file: OpenFile,
  heir: User | undefined,
  toRoot: boolean,
): void {
  if (!heir) {
    const words = 'Only someone with an account of this service can become the owner.'
    throw badRequest(words, 'value', 'invalidSharingRequest')
  }
  if (heir.id === file.owner_id) return
  const owner = userById(call.store, file.owner_id!)!
  recordAccessChange(call, file.id, ['permissions'], () =>
    transferOwnership(call.store, file.id, owner, heir),
  )
  if (toRoot) moveToRoot(call, file.id, heir.id)
}

/** Changes who can reach an item and tells them; a member of a shared drive also hears of the drive. */
export function changeAccess(
  call: Call,
  file: OpenFile,
  account: User | undefined,
  work: () => void,
): void {
  const {store, now} = call
  recordAccessChange(call, file.id, ['permissions'], work)
  if (file.id !== file.drive_id || !account) return
  const stays = effectivePermissions(store, file.id, now).some(
    ({id}) => id === account.permission_id,
  )
  recordDriveChange(store, now, file.drive_id, [`user:${account.id}`], !stays)
}

/** What a principal may do with an item: 404 when that is nothing. */
export function permissionOf({store, now}: Call, file: OpenFile, id: string): EffectivePermission {
  const found = effectivePermissions(store, file.id, now).find(permission => permission.id === id)
  if (!found) throw notFound('Permission', id, 'permissionId')
  return found
}

/** 403 for everyone but the owner. */
export function requireOwner(file: OpenFile): void {
  if (file.role !== 'owner') throw insufficientRole(file.id)
}
