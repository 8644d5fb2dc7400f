import {knownValues} from '#lib/api/validate.js'
import {badRequest, forbidden} from '#lib/service/errors.js'
import {atLeast, type Role} from '#lib/service/store/sharing/access.js'
import type {PrincipalType} from '#lib/service/store/sharing/permissions.js'

type Body = Readonly<Record<string, unknown>>

/** What of the shared item its rules depend on. */
export interface SharedItem {
  readonly inDrive: boolean
  /** The top folder of a shared drive: its permissions make the members. */
  readonly isTop: boolean
  readonly isFolder: boolean
}

const WIRE_ROLES: readonly Role[] = knownValues['Permission.role']

/** The role that a body asks for, else `current`; `commenter` is a reader's additional role, which `replace` drops. */
export function wishedRole(body: Body, current?: Role, replace = true): Role {
  const wished = body.role ?? (current === 'commenter' ? 'reader' : current)
  const role = WIRE_ROLES.find(known => known === wished)
  if (!role) {
    throw badRequest(`The role must be one of ${WIRE_ROLES.join(', ')}.`, 'role', 'invalid')
  }
  const additional = body.additionalRoles as readonly string[] | null | undefined
  if (additional === undefined) {
    const stays = current === 'commenter' && (body.role === undefined || !replace)
    return stays && role === 'reader' ? 'commenter' : role
  }
  if (!additional?.length) return role
  if (role !== 'reader' || additional.some(name => name !== 'commenter')) {
    const words = 'The only additional role is commenter, and it goes with the role reader.'
    throw badRequest(words, 'additionalRoles', 'invalid')
  }
  return 'commenter'
}

/** Refuses a role that this kind of principal cannot have on this item. */
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
    refuse(`${role}OnNonTeamDriveNotSupported`, `Only shared drives know the role ${role}.`)
  }
  if (role === 'organizer' && !isTop) {
    const words = 'The role organizer can be given on the shared drive itself only.'
    refuse('organizerOnNonTeamDriveItemNotSupported', words)
  }
  if (role === 'fileOrganizer' && !isFolder) {
    const words = 'The role fileOrganizer can be given on shared drives and their folders only.'
    refuse('fileOrganizerOnFoldersInSharedDriveOnly', words)
  }
  const isOpen = type === 'anyone' || type === 'domain'
  if (isOpen && inDrive && isTop) {
    const words = 'Members of a shared drive are users and groups; share a folder in it instead.'
    refuse('cannotShareTeamDriveTopFolderWithAnyoneOrDomains', words)
  }
  if ((isOpen && !atLeast('writer', role)) || (role === 'owner' && type !== 'user')) {
    throw badRequest(`The type ${type} cannot have the role ${role}.`, 'role', 'invalid')
  }
}

/** Unix ms at which access ends, at most a year from now and for users and groups only, or `null`; else as in `current`. */
export function wishedExpiration(
  body: Body,
  removeExpiration: boolean,
  current: number | null,
  type: PrincipalType,
  now: number,
): number | null {
  const wished = body.expirationDate as string | null | undefined
  const refuse = (words: string): never => {
    throw badRequest(words, 'expirationDate', 'invalid')
  }
  if (removeExpiration && wished)
    refuse('Send either expirationDate or removeExpiration, not both.')
  if (removeExpiration || wished === null) return null
  if (wished === undefined) return current
  const end = Date.parse(wished)
  const latest = new Date(now).setUTCFullYear(new Date(now).getUTCFullYear() + 1)
  if (type !== 'user' && type !== 'group') refuse('Only access of users and groups can expire.')
  if (end <= now) refuse('The expiration date must be in the future.')
  if (end > latest) refuse('The expiration date must be within a year from now.')
  return end
}

/** Whether only people with the link find the item; for `anyone` and `domain` alone. */
export function wishedWithLink(body: Body, current: boolean, type: PrincipalType): boolean {
  const wished = (body.withLink as boolean | null | undefined) ?? current
  if (wished && (type === 'user' || type === 'group')) {
    throw badRequest('withLink goes with the types anyone and domain.', 'withLink', 'invalid')
  }
  return wished
}

/** Whether the user is asked to become the owner, which takes a user who is a writer in My Drive. */
export function wishedPendingOwner(
  body: Body,
  current: boolean,
  type: PrincipalType,
  role: Role,
  {inDrive}: SharedItem,
): boolean {
  const fits = type === 'user' && role === 'writer' && !inDrive
  if (body.pendingOwner === undefined || body.pendingOwner === null) return current && fits
  if (body.pendingOwner && !fits) {
    const words = 'Only a user with the role writer on a My Drive item can become its owner.'
    throw badRequest(words, 'pendingOwner', 'invalid')
  }
  return body.pendingOwner === true
}

/** Refuses fields that no permission of this service can have. */
export function refuseForeignFields(body: Body): void {
  if (body.view !== undefined && body.view !== null) {
    throw badRequest('Permissions of views are not supported.', 'view', 'invalid')
  }
  if (body.inheritedPermissionsDisabled) {
    const words = 'Set inheritedPermissionsDisabled on the file, with files.update.'
    throw badRequest(words, 'inheritedPermissionsDisabled', 'invalid')
  }
}

/** Refuses `useDomainAdminAccess`: accounts of this service administer no domain. */
export function refuseDomainAdmin(params: {readonly useDomainAdminAccess: boolean}): void {
  if (params.useDomainAdminAccess) {
    const words = 'You are no administrator of a domain. Leave out useDomainAdminAccess.'
    throw forbidden('forbidden', words, 'useDomainAdminAccess')
  }
}
