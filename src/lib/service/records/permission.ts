import type {Role} from '#lib/service/store/sharing/access.js'
import type {EffectivePermission} from '#lib/service/store/sharing/permissions.js'
import {etagOf, link, pictureLink, present, timestamp} from './common.js'

/**
 * The Permission record of one principal on an item (reference: resources.md, Permission). Items of
 * shared drives also say where each part of the access comes from.
 */
export function permissionRecord(
  {origin}: {readonly origin: string},
  fileId: string,
  permission: EffectivePermission,
) {
  const {id, type, email, driveId} = permission
  const isAccount = type === 'user' || type === 'group'
  return {
    kind: 'drive#permission',
    etag: etagOf(fileId, permission),
    id,
    selfLink: link(origin, 'files', fileId, 'permissions', id),
    ...present({
      name: permission.name ?? permission.domain,
      ...roleFields(permission.role),
      type,
      emailAddress: email,
      photoLink: type === 'user' ? pictureLink(origin, id) : undefined,
      domain: permission.domain ?? email?.slice(email.lastIndexOf('@') + 1),
      withLink: isAccount ? undefined : permission.withLink,
      expirationDate: permission.expiresAt === null ? null : timestamp(permission.expiresAt),
      deleted: isAccount ? false : undefined,
      pendingOwner: type === 'user' && driveId === null ? permission.pendingOwner : undefined,
      permissionDetails: driveId === null ? undefined : details(permission),
      teamDrivePermissionDetails: driveId === null ? undefined : teamDriveDetails(permission),
    }),
  }
}

/** A role as the wire carries it: a commenter is a reader with an additional role. */
function roleFields(role: Role) {
  return role === 'commenter' ? {role: 'reader', additionalRoles: ['commenter']} : {role}
}

function details({driveId, grants}: EffectivePermission) {
  return grants.map(({role, from, inherited}) => ({
    permissionType: from === driveId ? 'member' : 'file',
    ...roleFields(role),
    inherited,
    ...(inherited && {inheritedFrom: from}),
  }))
}

function teamDriveDetails(permission: EffectivePermission) {
  return details(permission).map(({permissionType, ...rest}) => ({
    teamDrivePermissionType: permissionType,
    ...rest,
  }))
}
