import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {Call, Handlers} from '#lib/service/call.js'
import {forbidden, insufficientRole, invalid, invalidValue} from '#lib/service/errors.js'
import {etagOf, requestLink} from '#lib/service/records/common.js'
import {permissionRecord} from '#lib/service/records/parts.js'
import {
  anyone,
  applyGrantChange,
  checkGrant,
  grantAccess,
  grantOwnership,
  permissionOf,
  principalOf,
  requireOwner,
} from '#lib/service/sharing/grants.js'
import {
  checkRole,
  refuseDomainAdmin,
  refuseForeignFields,
  requestedExpiration,
  requestedPendingOwner,
  requestedRole,
  requestedWithLink,
  type SharedItem,
} from '#lib/service/sharing/rules.js'
import {checkDriveSharing, checkOrganizerStays} from '#lib/service/store/drives.js'
import {permissionIdFor} from '#lib/service/store/ids.js'
import {hasRole, type ReachedFile, requireFile} from '#lib/service/store/sharing/access.js'
import {capabilitiesOf} from '#lib/service/store/sharing/capabilities.js'
import {
  effectivePermissions,
  ownGrant,
  recordUnshared,
  removePermission,
} from '#lib/service/store/sharing/permissions.js'
import {userByPermissionId} from '#lib/service/store/users.js'
import {pageToken, readPageToken} from './paging.js'

/** Sharing (reference: protocols.md, section 12; resources.md, Permission). The local service sends no email. */

type Change = Call<'permissions.update' | 'permissions.patch'>

/** Default page size for items of shared drives. Other lists have one page by default (reference: operations.md). */
const DRIVE_PAGE = 100

export const permissionsHandlers: Handlers<'permissions'> = {
  'permissions.get'(call) {
    refuseDomainAdmin(call.params)
    const file = requireFile(call, call.params.fileId)
    const id = realPermissionId(call)
    if (id !== call.user.permission_id) requireWriter(file)
    return permissionRecord(call, file.id, permissionOf(call, file, id))
  },

  'permissions.list'(call) {
    const {store, now, params} = call
    refuseDomainAdmin(params)
    const file = requireFile(call, params.fileId)
    requireWriter(file)
    const binding = ['permissions', file.id]
    const last = readPageToken(params.pageToken, binding) as string | undefined
    const all = effectivePermissions(store, file.id, now)
    const start = last === undefined ? 0 : all.findIndex(({id}) => id === last) + 1
    if (last !== undefined && start === 0) throw invalidValue('pageToken')
    const size = params.maxResults ?? (file.drive_id === null ? all.length : DRIVE_PAGE)
    const page = all.slice(start, start + size)
    const items = page.map(permission => permissionRecord(call, file.id, permission))
    return {
      kind: 'drive#permissionList',
      etag: etagOf(items),
      selfLink: requestLink(call, 'files', file.id, 'permissions'),
      ...(start + size < all.length && {nextPageToken: pageToken(binding, page.at(-1)!.id)}),
      items,
    }
  },

  'permissions.getIdForEmail'({params}) {
    if (!params.email.includes('@')) throw invalidValue('email')
    return {kind: 'drive#permissionId', id: permissionIdFor(params.email)}
  },

  'permissions.insert'(call) {
    const {store, now, params, body} = call
    refuseDomainAdmin(params)
    refuseForeignFields(body)
    const file = requireFile(call, params.fileId, 'canShare')
    const principal = principalOf(store, file.id, body, now)
    const {type} = principal
    const item = sharedItem(file)
    const role = requestedRole(body)
    checkRole(role, type, item)
    if (body.expirationDate !== undefined && body.expirationDate !== null) {
      const words =
        'A new permission cannot have an expiration date. Set it with permissions.update or patch.'
      throw invalid(words, 'expirationDate')
    }
    if (role === 'owner') {
      requireOwner(file)
      grantOwnership(call, file, principal.user, params.moveToNewOwnersRoot)
      return recordOf(call, file, principal.id)
    }
    if (principal.user && principal.user.id === file.owner_id) throw ownerStays()
    const known = effectivePermissions(store, file.id, now).find(({id}) => id === principal.id)
    const pendingOwner = requestedPendingOwner(body, known?.pendingOwner ?? false, type, role, item)
    checkGrant(call, file, known, role, pendingOwner)
    checkDriveSharing(store, file, principal)
    const withLink = requestedWithLink(body, false, type)
    grantAccess(call, file, {...principal, role, withLink, expiresAt: null, pendingOwner})
    return recordOf(call, file, principal.id)
  },

  'permissions.update': call => change(call, true),

  'permissions.patch': call => change(call, false),

  'permissions.delete'(call) {
    const {store, user, params} = call
    refuseDomainAdmin(params)
    const file = requireFile(call, params.fileId)
    const id = realPermissionId(call)
    if (id !== user.permission_id) requireShare(call, file)
    const target = permissionOf(call, file, id)
    if (target.role === 'owner') throw ownerStays()
    const own = ownGrant(target)
    if (!own) {
      const words = 'The permission is inherited from a parent folder. Delete it there.'
      throw forbidden('cannotDeletePermission', words)
    }
    if (!hasRole(file.role, own.role)) throw insufficientRole(file.id)
    checkOrganizerStays(store, file.id, own.role)
    const account = userByPermissionId(store, id)
    applyGrantChange(call, file, account, () => {
      removePermission(store, file.id, id)
      if (account) recordUnshared(store, file.id, account)
    })
    return undefined
  },
}

/** Updates or patches a permission. With `replace`, missing `additionalRoles` are removed. */
function change(call: Change, replace: boolean) {
  const {store, now, params, body} = call
  refuseDomainAdmin(params)
  refuseForeignFields(body)
  const file = requireFile(call, params.fileId)
  const target = permissionOf(call, file, realPermissionId(call))
  const {type} = target
  const item = sharedItem(file)
  const own = ownGrant(target)
  if (body.type !== undefined && body.type !== null && body.type !== type) {
    throw invalid('The type of a permission cannot be changed.', 'type')
  }
  const role = requestedRole(body, own?.role ?? target.role, replace)
  checkRole(role, type, item)
  const expiresAt = requestedExpiration(
    body,
    params.removeExpiration,
    own?.expiresAt ?? null,
    type,
    now,
  )

  if (target.role === 'owner') {
    requireShare(call, file)
    if (role !== 'owner' || expiresAt !== null) throw ownerStays()
    return permissionRecord(call, file.id, target)
  }
  if (role === 'owner') {
    if (!params.transferOwnership) {
      const words =
        "The transferOwnership parameter must be enabled when the permission role is 'owner'."
      throw forbidden('forbidden', words, 'transferOwnership')
    }
    const accepts = target.pendingOwner && target.id === call.user.permission_id
    if (!accepts) requireOwner(file)
    grantOwnership(call, file, userByPermissionId(store, target.id), false)
    return recordOf(call, file, target.id)
  }

  requireShare(call, file)
  const withLink = requestedWithLink(body, target.withLink, type)
  const pendingOwner = requestedPendingOwner(body, target.pendingOwner, type, role, item)
  const raises = hasRole(role, target.role) && role !== target.role
  if (!own && !raises) {
    const words = 'The permission is inherited from a parent folder. Change it there.'
    throw forbidden('cannotModifyInheritedPermission', words)
  }
  checkGrant(call, file, target, role, pendingOwner)
  const id = type === 'anyone' ? anyone(withLink).id : target.id
  const {email, domain} = target
  grantAccess(call, file, {id, type, role, email, domain, withLink, expiresAt, pendingOwner})
  return recordOf(call, file, id)
}

function recordOf(call: Call, file: ReachedFile, id: string) {
  return permissionRecord(call, file.id, permissionOf(call, file, id))
}

/** The permission ID in the path; `me` is the caller's own. */
function realPermissionId({user, params}: Change | Call<'permissions.get' | 'permissions.delete'>) {
  return params.permissionId === 'me' ? user.permission_id : params.permissionId
}

function sharedItem(file: ReachedFile): SharedItem {
  return {
    inDrive: file.drive_id !== null,
    isTop: file.parent_id === null,
    isFolder: file.mime_type === FOLDER_TYPE,
  }
}

/** Throws 403 unless the caller is at least a writer. Readers cannot list permissions. */
function requireWriter(file: ReachedFile): void {
  if (!hasRole(file.role, 'writer')) throw insufficientRole(file.id)
}

function requireShare({store}: Call, file: ReachedFile): void {
  if (!capabilitiesOf(store, file).canShare) throw insufficientRole(file.id)
}

function ownerStays() {
  return forbidden(
    'forbidden',
    "The owner's permission cannot be lowered or deleted. Transfer ownership instead.",
  )
}
