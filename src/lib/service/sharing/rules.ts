import {knownValues} from '#lib/api/validate.js'
import {badRequest, forbidden} from '#lib/service/errors.js'
import {hasRole, type Role} from '#lib/service/store/sharing/access.js'
import type {PrincipalType} from '#lib/service/store/sharing/permissions.js'

type Body = Readonly<Record<string, unknown>>

/** The properties of an item that determine how it can be shared. */
export interface SharedItem {
  readonly inDrive: boolean
  /** Whether it is a root folder. The permissions on that of a shared drive are its members. */
  readonly isTop: boolean
  readonly isFolder: boolean
}

const WIRE_ROLES: readonly Role[] = knownValues['Permission.role']

/**
 * The role in a body (default: `current`). `commenter` is an additional role of readers. If the body
 * has no `additionalRoles`, `replace` removes it. Throws 400.
 */
export function requestedRole(body: Body, current?: Role, replace = true): Role {
  const name = body.role ?? (current === 'commenter' ? 'reader' : current)
  const role = WIRE_ROLES.find(known => known === name)
  if (!role) {
    throw badRequest(`The role must be one of ${WIRE_ROLES.join(', ')}.`, 'role', 'invalid')
  }
  const additional = body.additionalRoles as readonly string[] | null | undefined
  if (additional === undefined) {
    const keepsCommenter = current === 'commenter' && (body.role === undefined || !replace)
    return keepsCommenter && role === 'reader' ? 'commenter' : role
  }
  if (!additional?.length) return role
  if (role !== 'reader' || additional.some(each => each !== 'commenter')) {
    const words = 'The only additional role is commenter. It requires the role reader.'
    throw badRequest(words, 'additionalRoles', 'invalid')
  }
  return 'commenter'
}

/** Throws 403 or 400 for a role that this type of principal cannot have on this item. */
export function checkRole(
  role: Role,
  type: PrincipalType,
  {inDrive, isTop, isFolder}: SharedItem,
): void {
  const refuse = (reason: string, words: string): never => {
    throw forbidden(reason, words)
  }
  if (inDrive && role === 'owner') {
    refuse('ownerOnTeamDriveItemNotSupported', 'Items of shared drives have no owner.')
  }
  if (!inDrive && (role === 'organizer' || role === 'fileOrganizer')) {
    refuse(`${role}OnNonTeamDriveNotSupported`, `The role ${role} is only valid in shared drives.`)
  }
  if (role === 'organizer' && !isTop) {
    const words = 'The role organizer is only valid on the shared drive itself.'
    refuse('organizerOnNonTeamDriveItemNotSupported', words)
  }
  if (role === 'fileOrganizer' && !isFolder) {
    const words = 'The role fileOrganizer is only valid on shared drives and their folders.'
    refuse('fileOrganizerOnFoldersInSharedDriveOnly', words)
  }
  const isPublic = type === 'anyone' || type === 'domain'
  if (isPublic && inDrive && isTop) {
    const words =
      'Only users and groups can be members of a shared drive. Share a folder in it instead.'
    refuse('cannotShareTeamDriveTopFolderWithAnyoneOrDomains', words)
  }
  if ((isPublic && !hasRole('writer', role)) || (role === 'owner' && type !== 'user')) {
    throw badRequest(`The type ${type} cannot have the role ${role}.`, 'role', 'invalid')
  }
}

/**
 * The expiration in Unix ms, `null` if access does not expire (default: `current`). Throws 400 if it
 * is in the past, more than a year ahead, or for a principal other than a user or group.
 */
export function requestedExpiration(
  body: Body,
  removeExpiration: boolean,
  current: number | null,
  type: PrincipalType,
  now: number,
): number | null {
  const date = body.expirationDate as string | null | undefined
  const refuse = (words: string): never => {
    throw badRequest(words, 'expirationDate', 'invalid')
  }
  if (removeExpiration && date) refuse('Send either expirationDate or removeExpiration, not both.')
  if (removeExpiration || date === null) return null
  if (date === undefined) return current
  const end = Date.parse(date)
  const latest = new Date(now).setUTCFullYear(new Date(now).getUTCFullYear() + 1)
  if (type !== 'user' && type !== 'group') refuse('Only the access of users and groups can expire.')
  if (end <= now) refuse('The expiration date must be in the future.')
  if (end > latest) refuse('The expiration date must be within a year from now.')
  return end
}

/** Whether access requires the link (default: `current`). Throws 400 for users and groups. */
export function requestedWithLink(body: Body, current: boolean, type: PrincipalType): boolean {
  const withLink = (body.withLink as boolean | null | undefined) ?? current
  if (withLink && (type === 'user' || type === 'group')) {
    throw badRequest(
      'withLink is only valid for the types anyone and domain.',
      'withLink',
      'invalid',
    )
  }
  return withLink
}

/** Whether the user is a pending owner (default: `current`). Throws 400 unless it is a writer of a My Drive item. */
export function requestedPendingOwner(
  body: Body,
  current: boolean,
  type: PrincipalType,
  role: Role,
  {inDrive}: SharedItem,
): boolean {
  const fits = type === 'user' && role === 'writer' && !inDrive
  if (body.pendingOwner === undefined || body.pendingOwner === null) return current && fits
  if (body.pendingOwner && !fits) {
    const words = 'pendingOwner is only valid for a user with the role writer on a My Drive item.'
    throw badRequest(words, 'pendingOwner', 'invalid')
  }
  return body.pendingOwner === true
}

/** Throws 400 for fields that this service does not support in permissions. */
export function refuseForeignFields(body: Body): void {
  if (body.view !== undefined && body.view !== null) {
    throw badRequest('The field "view" is not supported. Omit it.', 'view', 'invalid')
  }
  if (body.inheritedPermissionsDisabled) {
    const words = 'inheritedPermissionsDisabled is a field of files. Set it with files.update.'
    throw badRequest(words, 'inheritedPermissionsDisabled', 'invalid')
  }
}

/** Throws 403 for `useDomainAdminAccess`: no account of this service is a domain administrator. */
export function refuseDomainAdmin(params: {readonly useDomainAdminAccess: boolean}): void {
  if (params.useDomainAdminAccess) {
    const words = 'You are not a domain administrator. Omit useDomainAdminAccess.'
    throw forbidden('forbidden', words, 'useDomainAdminAccess')
  }
}
