import {nonEmptyText} from '#lib/api/validate.js'
import type {Call} from '#lib/service/call.js'
import {badRequest, insufficientRole, notFound, required} from '#lib/service/errors.js'
import {recordAccessChange, recordDriveChange} from '#lib/service/store/changes.js'
import {checkOrganizerStays} from '#lib/service/store/drives.js'
import {permissionIdFor} from '#lib/service/store/ids.js'
import type {Store} from '#lib/service/store/index.js'
import {hasRole, type ReachedFile, type Role} from '#lib/service/store/sharing/access.js'
import {
  type EffectivePermission,
  effectivePermissions,
  type NewPermission,
  ownGrant,
  type PrincipalType,
  recordShared,
  savePermission,
  transferOwnership,
} from '#lib/service/store/sharing/permissions.js'
import {moveToRoot} from '#lib/service/store/tree.js'
import {type User, userByEmail, userById, userByPermissionId} from '#lib/service/store/users.js'

/**
 * Throws 403 if a change grants or removes a role above the caller's own, if only the owner can make
 * it, or if it would leave a shared drive without an organizer.
 */
export function checkGrant(
  call: Call,
  file: ReachedFile,
  known: EffectivePermission | undefined,
  role: Role,
  pendingOwner: boolean,
): void {
  const own = known && ownGrant(known)
  if (!hasRole(file.role, role) || (own && !hasRole(file.role, own.role))) {
    throw insufficientRole(file.id)
  }
  if (pendingOwner && !known?.pendingOwner) requireOwner(file)
  if (own && role !== own.role) checkOrganizerStays(call.store, file.id, own.role)
}

/** Grants access to an item, or replaces the permission of the same principal, and records the sharing. */
export function grantAccess(call: Call, file: ReachedFile, permission: NewPermission): void {
  const {store, user, now} = call
  const account = permission.type === 'user' ? userByPermissionId(store, permission.id) : undefined
  applyGrantChange(call, file, account, () => {
    savePermission(store, file.id, permission)
    if (account && file.id !== file.drive_id) recordShared(store, file.id, account, user, now)
  })
}

/** Makes an account the owner of a My Drive item. With `toRoot`, also moves the item to its root folder. Throws 400 without an account. */
export function grantOwnership(
  call: Call,
  file: ReachedFile,
  newOwner: User | undefined,
  toRoot: boolean,
): void {
  if (!newOwner) {
    const words = 'Only a user with an account on this service can become the owner.'
    throw badRequest(words, 'value', 'invalidSharingRequest')
  }
  if (newOwner.id === file.owner_id) return
  const owner = userById(call.store, file.owner_id!)!
  recordAccessChange(call, file.id, ['permissions'], () =>
    transferOwnership(call.store, file.id, owner, newOwner),
  )
  if (toRoot) moveToRoot(call, file.id, newOwner.id)
}

/** Changes access to an item and records the change, for a member of a shared drive also that of the drive. */
export function applyGrantChange(
  call: Call,
  file: ReachedFile,
  account: User | undefined,
  work: () => void,
): void {
  const {store, now} = call
  recordAccessChange(call, file.id, ['permissions'], work)
  if (file.id !== file.drive_id || !account) return
  const isMember = effectivePermissions(store, file.id, now).some(
    ({id}) => id === account.permission_id,
  )
  recordDriveChange(store, now, file.drive_id, [`user:${account.id}`], !isMember)
}

/** The effective permission of a principal on an item. Throws 404 without one. */
export function permissionOf(
  {store, now}: Call,
  file: ReachedFile,
  id: string,
): EffectivePermission {
  const found = effectivePermissions(store, file.id, now).find(permission => permission.id === id)
  if (!found) throw notFound('Permission', id, 'permissionId')
  return found
}

/** Throws 403 unless the caller is the owner. */
export function requireOwner(file: ReachedFile): void {
  if (file.role !== 'owner') throw insufficientRole(file.id)
}

/** A user, group, domain or everyone: a recipient of access. */
export interface Principal extends Pick<NewPermission, 'id' | 'type' | 'email' | 'domain'> {
  /** The local account, if one exists. */
  readonly user?: User
}

const TYPES: readonly PrincipalType[] = ['user', 'group', 'domain', 'anyone']
const EMAIL = /^[^\s@]+@[^\s@]+$/
const DOMAIN = /^([a-z\d-]+\.)+[a-z\d-]+$/i

/**
 * The principal in a body: by `value`, which is an email address or a domain, or by `id`, the
 * permission ID of an account or of a principal with access (reference: protocols.md, section 12).
 * Throws 400.
 */
export function principalOf(
  store: Store,
  fileId: string,
  body: Readonly<Record<string, unknown>>,
  now: number,
): Principal {
  if (body.type === undefined || body.type === null) throw required('type')
  const type = TYPES.find(known => known === body.type)
  if (!type) throw badRequest(`The type must be one of ${TYPES.join(', ')}.`, 'type', 'invalid')
  if (type === 'anyone') return anyone(body.withLink === true)
  const value = nonEmptyText(body.value)
  const id = nonEmptyText(body.id)
  if ((value === undefined) === (id === undefined)) {
    throw badRequest(`For the type ${type}, send exactly one of value and id.`, 'value', 'required')
  }
  return value === undefined ? byId(store, fileId, type, id!, now) : byValue(store, type, value)
}

/** The principal for everyone, or for everyone with the link. */
export function anyone(withLink: boolean): Principal {
  return {id: withLink ? 'anyoneWithLink' : 'anyone', type: 'anyone', email: null, domain: null}
}

function byValue(store: Store, type: PrincipalType, value: string): Principal {
  const address = value.trim()
  if (!(type === 'domain' ? DOMAIN : EMAIL).test(address)) {
    const expected = type === 'domain' ? 'a domain name' : 'an email address'
    throw badRequest(`The value must be ${expected}.`, 'value', 'invalid')
  }
  const id = permissionIdFor(address)
  if (type === 'domain') return {id, type, email: null, domain: address.toLowerCase()}
  const user = userByEmail(store, address)
  if (user && type === 'group') {
    throw badRequest(`${address} is the address of a user, not of a group.`, 'type', 'invalid')
  }
  return user ? ofUser(user) : {id, type, email: address, domain: null}
}

function byId(
  store: Store,
  fileId: string,
  type: PrincipalType,
  id: string,
  now: number,
): Principal {
  const user = userByPermissionId(store, id)
  if (user && type === 'user') return ofUser(user)
  const known = effectivePermissions(store, fileId, now).find(one => one.id === id)
  if (known?.type !== type) {
    throw badRequest(
      `No ${type} has the permission ID ${id}. Send value instead of id.`,
      'id',
      'invalid',
    )
  }
  return {id, type, email: known.email, domain: known.domain}
}

function ofUser(user: User): Principal {
  return {id: user.permission_id, type: 'user', email: user.email, domain: null, user}
}
