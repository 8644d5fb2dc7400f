import {textOf} from '#lib/api/validate.js'
import type {Call} from '#lib/service/call.js'
import {badRequest, insufficientRole, notFound, required} from '#lib/service/errors.js'
import {recordAccessChange, recordDriveChange} from '#lib/service/store/changes.js'
import {checkOrganizerStays} from '#lib/service/store/drives.js'
import {permissionIdFor} from '#lib/service/store/ids.js'
import type {Store} from '#lib/service/store/index.js'
import {atLeast, type OpenFile, type Role} from '#lib/service/store/sharing/access.js'
import {
  type EffectivePermission,
  effectivePermissions,
  type NewPermission,
  noteShared,
  ownGrant,
  type PrincipalType,
  savePermission,
  transferOwnership,
} from '#lib/service/store/sharing/permissions.js'
import {moveToRoot} from '#lib/service/store/tree.js'
import {type User, userByEmail, userById, userByPermissionId} from '#lib/service/store/users.js'

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

/** Makes someone the owner of a My Drive item, which with `toRoot` goes to their My Drive. */
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

/** Somebody who can be given access. */
export interface Principal extends Pick<NewPermission, 'id' | 'type' | 'email' | 'domain'> {
  /** The local account, where there is one. */
  readonly user?: User
}

const TYPES: readonly PrincipalType[] = ['user', 'group', 'domain', 'anyone']
const EMAIL = /^[^\s@]+@[^\s@]+$/
const DOMAIN = /^([a-z\d-]+\.)+[a-z\d-]+$/i

/** Whom a body means: by `value`, an address or domain, or by the `id` of someone known (reference: protocols.md, section 12). */
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
  const value = textOf(body.value)
  const id = textOf(body.id)
  if ((value === undefined) === (id === undefined)) {
    throw badRequest(`For the type ${type}, send exactly one of value and id.`, 'value', 'required')
  }
  return value === undefined ? byId(store, fileId, type, id!, now) : byValue(store, type, value)
}

/** Everybody: found by search, or by those who have the link. */
export function anyone(withLink: boolean): Principal {
  return {id: withLink ? 'anyoneWithLink' : 'anyone', type: 'anyone', email: null, domain: null}
}

function byValue(store: Store, type: PrincipalType, value: string): Principal {
  const address = value.trim()
  if (!(type === 'domain' ? DOMAIN : EMAIL).test(address)) {
    const wanted = type === 'domain' ? 'a domain name' : 'an email address'
    throw badRequest(`The value must be ${wanted}.`, 'value', 'invalid')
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
      `No ${type} with this permission ID is known; send value instead.`,
      'id',
      'invalid',
    )
  }
  return {id, type, email: known.email, domain: known.domain}
}

function ofUser(user: User): Principal {
  return {id: user.permission_id, type: 'user', email: user.email, domain: null, user}
}
