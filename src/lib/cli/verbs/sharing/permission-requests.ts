import type {Grantee} from '#lib/cli/input/names/permissions.js'
import type {CallInput} from '#lib/client/client.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'

/** The notification email for a new permission. */
export interface Mail {
  /** Whether to send an email (default: as the service decides). */
  readonly notify?: boolean
  readonly message?: string
}

/** The request that grants new access. `anyone` requires the link, so that nobody finds the file by a search. */
export function grantRequest(
  fileId: string,
  {type, value}: Grantee,
  role: string,
  mail: Mail,
): CallInput {
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

/** The request that changes the role of an existing permission; `expires` is an RFC 3339 time. */
export function roleChangeRequest(
  fileId: string,
  permissionId: string,
  role: string,
  expires?: string,
): CallInput {
  const body = {
    ...{additionalRoles: [], ...roleFields(role)},
    ...(expires !== undefined && {expirationDate: expires}),
  }
  const transfer = role === 'owner' && {transferOwnership: 'true'}
  return {params: {fileId, permissionId, ...ALL_DRIVES, ...transfer}, body}
}

/** The fields of a role in a request: a commenter is a reader with an additional role. */
function roleFields(role: string) {
  return role === 'commenter' ? {role: 'reader', additionalRoles: ['commenter']} : {role}
}
