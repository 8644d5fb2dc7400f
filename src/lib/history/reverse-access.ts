import {isObject} from '#lib/api/validate.js'
import type {BatchCall, Page} from '#lib/client/client.js'
import {
  callOf,
  fileIn,
  type Reversal,
  type SentChange,
  textOf,
  UNKNOWN_BEFORE,
  WITH_SHARED_DRIVES,
} from './reversal.js'

/** Reversals of changes to permissions. */

/** The ID of the permission: from the response, because a change of `withLink` changes it. */
const idIn = ({params, result}: SentChange) => textOf(result?.id ?? params.permissionId)

const FIELDS = 'id,type,role,additionalRoles,emailAddress,domain,withLink,expirationDate'

const read = (fileId: string, permissionId: string) =>
  callOf('permissions.get', {
    ...{fileId, permissionId, fields: `${FIELDS},etag`},
    ...WITH_SHARED_DRIVES,
  })

const list = (fileId: string) =>
  callOf('permissions.list', {fileId, fields: `items(${FIELDS})`, ...WITH_SHARED_DRIVES})

const isCommenter = ({additionalRoles}: Page) =>
  Array.isArray(additionalRoles) && additionalRoles.includes('commenter')

const hasRole = (record: Page, {role, ...wanted}: Page) =>
  role === undefined ||
  (record.role === role && (role !== 'reader' || isCommenter(record) === isCommenter(wanted)))

/** The permission of a list that a request to share created or changed. */
function sharedIn({body, result}: SentChange, record: Page | undefined): Page | undefined {
  const items = (Array.isArray(record?.items) ? record.items : []) as Page[]
  const value = textOf(body.value).toLowerCase()
  return items.find(item => {
    if (result?.id !== undefined) return item.id === result.id
    if (body.id !== undefined) return item.id === body.id
    if (item.type !== body.type) return false
    return (
      body.type === 'anyone' ||
      [item.emailAddress, item.domain].some(name => textOf(name).toLowerCase() === value)
    )
  })
}

const isOwnership = ({body, params}: SentChange) =>
  body.role === 'owner' || params.transferOwnership === 'true'

const OWNERSHIP = 'only the new owner can transfer ownership back'

/** The fields of a permission that a change can set. */
function roleOf(permission: Page): Page {
  const {role, additionalRoles, withLink, type} = permission
  const isOfLink = (type === 'anyone' || type === 'domain') && withLink !== undefined
  return {role, additionalRoles: additionalRoles ?? [], ...(isOfLink && {withLink})}
}

/** The call that gives a permission the role, link setting and expiration that it had before. */
function changeBack(change: SentChange, before: Page): BatchCall {
  const {expirationDate} = before
  const hasExpiration = typeof expirationDate === 'string'
  const params = {fileId: fileIn(change), permissionId: idIn(change), ...WITH_SHARED_DRIVES}
  return callOf(
    'permissions.patch',
    {...params, ...(!hasExpiration && {removeExpiration: 'true'})},
    {...roleOf(before), ...(hasExpiration && {expirationDate})},
  )
}

const change: Reversal = {
  words: 'restores the previous role and expiration',
  before: ({params}) => read(textOf(params.fileId), textOf(params.permissionId)),
  now: change => read(fileIn(change), idIn(change)),
  isAsLeft: ({body}, record) => record !== undefined && hasRole(record, body),
  left: ({result}) => (result?.role === undefined ? undefined : result),
  reverse(change) {
    if (isOwnership(change)) return {reason: OWNERSHIP}
    if (change.before?.role === undefined) return {reason: UNKNOWN_BEFORE}
    return {calls: [changeBack(change, change.before)]}
  },
}

export const accessReversals = {
  'permissions.patch': change,
  'permissions.update': change,
  'permissions.insert': {
    words: 'removes the access, or restores the previous role; emails cannot be recalled',
    before: change => list(fileIn(change)),
    isBeforeNeeded: true,
    now: change => list(fileIn(change)),
    isAsLeft(change, record) {
      const found = sharedIn(change, record)
      return found !== undefined && hasRole(found, change.body)
    },
    resultIn: sharedIn,
    left: ({result}) => (result?.role === undefined ? undefined : result),
    reverse(change) {
      if (isOwnership(change)) return {reason: OWNERSHIP}
      const {params, body, before} = change
      const id = idIn(change)
      if (id === '') return {reason: 'the ID of the permission is unknown'}
      const isMailed =
        ['user', 'group'].includes(textOf(body.type)) && params.sendNotificationEmails !== 'false'
      // The access may have been there before.
      if (!before) return {reason: UNKNOWN_BEFORE}
      const known = sharedIn(change, before)
      const call = known
        ? changeBack(change, known)
        : callOf('permissions.delete', {
            fileId: fileIn(change),
            permissionId: id,
            ...WITH_SHARED_DRIVES,
          })
      return {calls: [call], ...(isMailed && {note: 'the notification email cannot be recalled'})}
    },
  },
  'permissions.delete': {
    words: 'grants the access again, without an email',
    before: ({params}) =>
      params.permissionId === 'me'
        ? undefined
        : read(textOf(params.fileId), textOf(params.permissionId)),
    now: ({params}) => list(textOf(params.fileId)),
    isAsLeft: ({params}, record) =>
      record !== undefined &&
      !((record.items ?? []) as Page[]).some(item => item.id === params.permissionId),
    left: () => ({items: []}),
    reverse(change) {
      const {before, params} = change
      if (params.permissionId === 'me') return {reason: 'only others can give you access again'}
      if (!isObject(before) || before.role === undefined) return {reason: UNKNOWN_BEFORE}
      const {type, emailAddress, domain, expirationDate, id} = before
      const value = type === 'domain' ? domain : emailAddress
      const isMailed = type === 'user' || type === 'group'
      const insertion = callOf(
        'permissions.insert',
        {
          fileId: fileIn(change),
          ...WITH_SHARED_DRIVES,
          ...(isMailed && {sendNotificationEmails: 'false'}),
        },
        {...roleOf(before), type, ...(type !== 'anyone' && {value})},
      )
      if (typeof expirationDate !== 'string') return {calls: [insertion]}
      const permissionId = textOf(id ?? params.permissionId)
      const expiring = callOf(
        'permissions.patch',
        {fileId: fileIn(change), permissionId, ...WITH_SHARED_DRIVES},
        {...roleOf(before), expirationDate},
      )
      return {calls: [insertion, expiring]}
    },
  },
} as const satisfies Record<string, Reversal>
