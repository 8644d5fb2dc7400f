import {EDITOR_TYPE_PREFIX} from '#lib/api/wire.js'
import type {Call} from '#lib/service/call.js'
import type {FileRow} from '#lib/service/store/files/files.js'
import {type LabelRow, parseLabelFields} from '#lib/service/store/files/labels.js'
import {type PropertyRow, visiblePropertiesOf} from '#lib/service/store/files/properties.js'
import type {RevisionRow} from '#lib/service/store/files/revisions.js'
import type {Role} from '#lib/service/store/sharing/access.js'
import type {EffectivePermission} from '#lib/service/store/sharing/permissions.js'
import {userByEmail, userById} from '#lib/service/store/users.js'
import {contentLink, etagOf, link, pictureLink, present, timestamp, userRecord} from './common.js'

/** The Permission record of one principal on an item (reference: resources.md, Permission). */
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

/** A role as fields of a record: a commenter is a reader with an additional role. */
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

/** The Property record (reference: resources.md, Property). */
export function propertyRecord(
  {origin}: Pick<Call, 'origin'>,
  fileId: string,
  {key, visibility, client_id: clientId, value, version}: PropertyRow,
) {
  const selfLink = new URL(link(origin, 'files', fileId, 'properties', key))
  selfLink.searchParams.set('visibility', visibility)
  return {
    kind: 'drive#property',
    etag: etagOf(fileId, key, visibility, clientId, value, version),
    selfLink: selfLink.href,
    key,
    visibility,
    value,
  }
}

/** The Property records that the caller can see: public ones, and private ones of its own app. */
export function propertyRecords(
  call: Pick<Call, 'store' | 'origin' | 'clientId'>,
  fileId: string,
): ReturnType<typeof propertyRecord>[] {
  const rows = visiblePropertiesOf(call.store, [fileId], call.clientId).get(fileId) ?? []
  return rows.map(row => propertyRecord(call, fileId, row))
}

export function isEditorRevision({mime_type: type}: Pick<RevisionRow, 'mime_type'>): boolean {
  return type.startsWith(EDITOR_TYPE_PREFIX)
}

/** The Revision record (reference: resources.md, Revision). Revisions of editor documents have publishing fields instead of a download link. */
export function revisionRecord(
  call: Pick<Call, 'store' | 'user' | 'origin'>,
  file: Pick<FileRow, 'id' | 'drive_id'>,
  row: RevisionRow,
) {
  const {id, pinned, published, publish_auto: auto, published_outside_domain: outside} = row
  const flags = [pinned, published, auto, outside]
  const modifier = row.modifier_id === null ? undefined : userById(call.store, row.modifier_id)
  return {
    kind: 'drive#revision',
    etag: etagOf('revision', file.id, id, row.blob_id, row.modified_at, flags),
    id,
    selfLink: link(call.origin, 'files', file.id, 'revisions', id),
    mimeType: row.mime_type,
    modifiedDate: timestamp(row.modified_at),
    ...(isEditorRevision(row)
      ? {published: published === 1, publishAuto: auto === 1, publishedOutsideDomain: outside === 1}
      : present({
          pinned: pinned === 1,
          downloadUrl: contentLink(call.origin, file, id),
          originalFilename: row.original_filename,
          fileSize: String(row.size),
          md5Checksum: row.md5,
        })),
    ...(modifier && {
      lastModifyingUserName: modifier.name,
      lastModifyingUser: userRecord(modifier, call),
    }),
  }
}

/** The Label record (reference: resources.md, Labels). A field contains only the list of its value type. */
export function labelRecord(call: Pick<Call, 'store' | 'user' | 'origin'>, row: LabelRow) {
  const fields = Object.entries(parseLabelFields(row)).map(([id, {valueType, values}]) => {
    const shown = valueType === 'user' ? values.map(address => userOf(call, address)) : values
    return [id, {kind: 'drive#labelField', id, valueType, [valueType]: shown}] as const
  })
  return {
    kind: 'drive#label',
    id: row.label_id,
    revisionId: row.revision_id,
    fields: Object.fromEntries(fields),
  }
}

/** The text if it is a valid date such as 2024-05-06, or else `undefined`. */
export function readDate(text: string): string | undefined {
  const midnight = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined
  if (!midnight || Number.isNaN(midnight.getTime())) return undefined
  // JavaScript reads 2024-02-30 as 2024-03-01.
  return midnight.toISOString().startsWith(text) ? text : undefined
}

/** The User record for an email address. A label may contain addresses without an account. */
function userOf(call: Pick<Call, 'store' | 'user' | 'origin'>, address: string) {
  const account = userByEmail(call.store, address)
  if (account) return userRecord(account, call)
  return {
    kind: 'drive#user',
    displayName: address,
    isAuthenticatedUser: false,
    emailAddress: address,
  }
}
