import {isObject} from '#lib/api/validate.js'
import {isOf, roleOf, type Who} from '#lib/cli/input/names/permissions.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import type {CallInput, Page} from '#lib/client/client.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'

/** Roles, the weakest first; an owner is made by handing over, not by sharing. */
export const ROLES = ['reader', 'commenter', 'writer', 'fileOrganizer', 'organizer'] as const

/** What sharing takes, by what there is already. */
export type Decision =
  | {readonly do: 'give'}
  | {readonly do: 'change'; readonly id: string; readonly before: string}
  | {readonly do: 'nothing'; readonly id: string}
  | {readonly do: 'refuse'; readonly error: CommandError}

/** Where part of an access comes from (reference: resources.md, Permission); only shared drives tell. */
export interface Grant {
  readonly role: string
  readonly isInherited: boolean
  readonly isOfDrive: boolean
  /** ID of the folder or shared drive above. */
  readonly from?: string
}

/** All parts of an access; `undefined` where the service does not tell. */
export function grantsOf({permissionDetails: details}: Page): readonly Grant[] | undefined {
  if (!Array.isArray(details) || details.length === 0) return undefined
  return details.filter(isObject).map(detail => ({
    role: roleOf(detail),
    isInherited: detail.inherited === true,
    isOfDrive: detail.permissionType === 'member',
    ...(typeof detail.inheritedFrom === 'string' && {from: detail.inheritedFrom}),
  }))
}

/** Whether a role is no weaker than another; an owner's is the strongest. */
export function atLeast(role: string, other: string): boolean {
  const rank = (one: string) => (one === 'owner' ? ROLES.length : ROLES.findIndex(it => it === one))
  return rank(role) >= rank(other)
}

/** What has to be done so that `who` has `role` on something with these permissions. */
export function decide(permissions: readonly Page[], who: Who, role: string): Decision {
  const known = permissions.find(permission => isOf(who, permission))
  if (!known) return {do: 'give'}
  const before = roleOf(known)
  const id = String(known.id)
  if (before === role) return {do: 'nothing', id}
  if (before === 'owner') {
    return refused(`${who.word} is the owner and can do everything already.`, HAND_OVER)
  }
  const above = grantsOf(known)?.find(grant => grant.isInherited && !atLeast(role, grant.role))
  if (above) return refused(`${who.word} is ${above.role} by what lies above.`, SHOW)
  return {do: 'change', id, before}
}

const HAND_OVER = '`drv permissions update --role owner --transfer-ownership` makes another owner.'
const SHOW = '`drv share FILE` shows where it comes from; it can be lowered there.'

function refused(message: string, hint: string): Decision {
  return {do: 'refuse', error: new CommandError('conflict', message, hint)}
}

/** What goes along with a permission for somebody new. */
export interface Mail {
  /** Whether a mail is sent; as the service does it unless given. */
  readonly notify?: boolean
  readonly message?: string
}

/** The request that gives somebody new access. Anyone needs the link, for nobody is to find it by a search. */
export function giving(fileId: string, {type, value}: Who, role: string, mail: Mail): CallInput {
  const {notify, message} = mail
  const hasMail = type === 'user' || type === 'group'
  return {
    params: {
      fileId,
      ...ALL_DRIVES,
      ...(hasMail && notify !== undefined && {sendNotificationEmails: String(notify)}),
      ...(hasMail && message !== undefined && {emailMessage: message}),
    },
    body: {
      ...roleFields(role),
      type,
      ...(value !== undefined && {value}),
      ...(type === 'anyone' && {withLink: true}),
    },
  }
}

/** The request that changes the role of somebody who has access. */
export function changing(fileId: string, permissionId: string, role: string): CallInput {
  const body = {additionalRoles: [], ...roleFields(role)}
  return {params: {fileId, permissionId, ...ALL_DRIVES}, body}
}

/** A role as the wire carries it: a commenter is a reader with another role. */
function roleFields(role: string) {
  return role === 'commenter' ? {role: 'reader', additionalRoles: ['commenter']} : {role}
}
