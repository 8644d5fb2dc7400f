import type {Who} from '#lib/cli/input/names/permissions.js'
import type {CallInput} from '#lib/client/client.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'

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
export function changing(
  fileId: string,
  permissionId: string,
  role: string,
  expires?: string,
): CallInput {
  const body = {
    ...{additionalRoles: [], ...roleFields(role)},
    ...(expires !== undefined && {expirationDate: expires}),
  }
  const handsOver = role === 'owner' && {transferOwnership: 'true'}
  return {params: {fileId, permissionId, ...ALL_DRIVES, ...handsOver}, body}
}

/** A role as the wire carries it: a commenter is a reader with another role. */
function roleFields(role: string) {
  return role === 'commenter' ? {role: 'reader', additionalRoles: ['commenter']} : {role}
}
