import {type Selection, selects} from '../../api/fields.js'
import type {Call} from '../call.js'
import {exportTypes} from '../content/convert.js'
import {type FileKind, kindOfType} from '../content/types.js'
import {alternateLink, iconLink} from '../http/itempages.js'
import {grantParameters, type OpenFile} from '../store/access.js'
import {capabilitiesOf} from '../store/capabilities.js'
import {findDrive} from '../store/drives.js'
import {detailsOf, type FileDetails} from '../store/files.js'
import {effectivePermissions, ownGrant} from '../store/permissions.js'
import {visibleParent} from '../store/tree.js'
import {NO_MARKS, userFile} from '../store/userfiles.js'
import {userById} from '../store/users.js'
import {etagOf, link, present, timestamp, userRecord, userRecordById} from './common.js'
import {labelRecords} from './label.js'
import {contentLink, exportLinks, parentReference} from './links.js'
import {permissionRecord} from './permission.js'
import {propertyRecords} from './property.js'

/**
 * The File record of an item as the caller sees it (reference: resources.md, File). It holds every
 * field that applies to an item of its type, but for those that cost a search and are not in
 * `fields`; `includeLabels` of the request adds labels.
 */
export function fileRecord(
  call: Call,
  file: OpenFile,
  fields: Selection | undefined = call.fields,
): Record<string, unknown> {
  const {store, origin} = call
  const wants = (...names: readonly string[]) => names.some(name => selects(fields, name))
  const details = detailsOf(file)
  const kind = kindOfType(file.mime_type) ?? 'binary'
  // Whoever was given a single item of a shared drive is no member of the drive.
  const canReadDrive = file.drive_id !== null && findDrive(call, file.drive_id) !== undefined
  const capabilities = {...capabilitiesOf(store, file), canReadDrive}
  const mine = wants(...MARKS) ? userFile(store, call.user.id, file.id) : NO_MARKS
  const parent = wants('parents') ? visibleParent(call, file) : undefined
  const selfLink = link(origin, 'files', file.id)
  const modifier =
    file.modifier_id !== null && wants('lastModifyingUser', 'lastModifyingUserName')
      ? userById(store, file.modifier_id)
      : undefined
  return present({
    kind: 'drive#file',
    id: file.id,
    etag: fileEtag(file),
    selfLink,
    alternateLink: alternateLink(origin, file.id),
    iconLink: iconLink(origin, file.mime_type),
    title: file.title,
    mimeType: file.mime_type,
    description: details.description,
    labels: {
      starred: mine.starred === 1,
      hidden: false,
      trashed: file.trashed === 1,
      restricted: details.copyRequiresWriterPermission ?? false,
      viewed: mine.viewed_at !== null,
      modified: mine.modified_at !== null,
    },
    labelInfo: labelInfo(call, file),
    explicitlyTrashed: file.explicitly_trashed === 1,
    createdDate: timestamp(file.created_at),
    modifiedDate: timestamp(file.modified_at),
    modifiedByMeDate: date(mine.modified_at),
    lastViewedByMeDate: date(mine.viewed_at),
    sharedWithMeDate: date(mine.shared_at),
    sharingUser: userRecordById(store, mine.sharer_id, call.user),
    lastModifyingUser: modifier && userRecord(modifier, call.user),
    lastModifyingUserName: modifier?.name,
    version: String(file.version),
    parents:
      parent === undefined ? [] : [parentReference(origin, file.id, parent, call.user.root_id)],
    properties: wants('properties') ? propertyRecords(call, file.id) : undefined,
    spaces: [file.space],
    appDataContents: file.space === 'appDataFolder',
    isAppAuthorized: file.client_id === (call.clientId ?? null),
    quotaBytesUsed: String(file.quota_bytes),
    copyRequiresWriterPermission: details.copyRequiresWriterPermission ?? false,
    inheritedPermissionsDisabled: file.inherits === 0,
    contentRestrictions: contentRestrictions(call, details),
    clientEncryptionDetails: details.clientEncryptionDetails,
    linkShareMetadata: {securityUpdateEligible: false, securityUpdateEnabled: true},
    capabilities: {...capabilities, ...oldCapabilities(capabilities)},
    editable: capabilities.canEdit,
    copyable: capabilities.canCopy,
    shareable: capabilities.canShare,
    canComment: capabilities.canComment,
    canReadRevisions: capabilities.canReadRevisions,
    ...(file.drive_id !== null && driveFields(call, file)),
    ...(file.drive_id === null && wants(...OWNERSHIP) && myDriveFields(call, file, details)),
    ...(wants(...ACCESS) && accessFields(call, file, capabilities.canShare)),
    ...kindFields(call, file, kind, details, capabilities.canDownload),
    ...thumbnailFields(call, file, details, capabilities.canDownload),
  })
}

/** Fields that take a look at what the caller did with the file, … */
const MARKS = [
  'labels',
  'modifiedByMeDate',
  'lastViewedByMeDate',
  'sharedWithMeDate',
  'sharingUser',
]
/** … at its owner, … */
const OWNERSHIP = ['owners', 'ownerNames', 'ownedByMe', 'writersCanShare']
/** … and at all who have access. */
const ACCESS = [
  'shared',
  'hasAugmentedPermissions',
  'userPermission',
  'permissionIds',
  'permissions',
]

/** The entity tag of a file: every change of it makes another one. */
export function fileEtag(file: {readonly id: string; readonly version: number}): string {
  return etagOf(file.id, file.version)
}

function date(ms: number | null): string | undefined {
  return ms === null ? undefined : timestamp(ms)
}

function myDriveFields(call: Call, file: OpenFile, details: FileDetails) {
  const owner = userById(call.store, file.owner_id!)!
  return {
    owners: [userRecord(owner, call.user)],
    ownerNames: [owner.name],
    ownedByMe: owner.id === call.user.id,
    writersCanShare: details.writersCanShare ?? true,
  }
}

function driveFields(call: Call, file: OpenFile) {
  const explicitly = file.explicitly_trashed === 1
  return {
    driveId: file.drive_id,
    teamDriveId: file.drive_id,
    trashedDate: explicitly ? date(file.trashed_at) : undefined,
    trashingUser: explicitly ? userRecordById(call.store, file.trasher_id, call.user) : undefined,
  }
}

/** Who has access. The whole list is for those only who may change it, and not for shared drives. */
function accessFields(call: Call, file: OpenFile, canShare: boolean) {
  const {store, now, user} = call
  const all = effectivePermissions(store, file.id, now)
  const inDrive = file.drive_id !== null
  const {permissionId, mailDomain} = grantParameters(user, now)
  // Without a permission of one's own, access comes from one for anyone or for one's domain.
  const mine =
    all.find(({id}) => id === permissionId) ??
    all.find(({type, domain}) => type === 'anyone' || (type === 'domain' && domain === mailDomain))
  return {
    shared: inDrive ? undefined : all.length > 1,
    hasAugmentedPermissions: inDrive
      ? file.id !== file.drive_id && all.some(permission => ownGrant(permission) !== undefined)
      : undefined,
    userPermission: mine && permissionRecord(call, file.id, mine),
    permissionIds: canShare ? all.map(permission => permission.id) : undefined,
    permissions:
      canShare && !inDrive
        ? all.map(permission => permissionRecord(call, file.id, permission))
        : undefined,
  }
}

function kindFields(
  {origin}: Call,
  file: OpenFile,
  kind: FileKind,
  details: FileDetails,
  canDownload: boolean,
) {
  switch (kind) {
    case 'folder':
      return {folderColorRgb: details.folderColorRgb}
    case 'shortcut':
      return {
        shortcutDetails: present({
          targetId: file.shortcut_target_id,
          targetMimeType: details.targetMimeType,
        }),
      }
    case 'editor': {
      const types = canDownload ? exportTypes(file.mime_type) : []
      return {exportLinks: types.length > 0 ? exportLinks(origin, file.id, types) : undefined}
    }
    case 'binary': {
      const content = canDownload ? contentLink(origin, file) : undefined
      return {
        originalFilename: file.original_filename,
        fileSize: String(file.size ?? 0),
        md5Checksum: file.md5,
        sha1Checksum: file.sha1,
        sha256Checksum: file.sha256,
        headRevisionId: file.head_revision_id,
        fullFileExtension: details.fullFileExtension,
        fileExtension: details.fullFileExtension?.split('.').at(-1),
        imageMediaMetadata: details.image,
        downloadUrl: content,
        webContentLink: content,
      }
    }
  }
}

/** A picture that a caller sent; an image of a kind that was understood is its own. */
function thumbnailFields(
  {origin}: Call,
  file: OpenFile,
  {thumbnailVersion, image}: FileDetails,
  canDownload: boolean,
) {
  const given = thumbnailVersion !== undefined
  const hasThumbnail = given || image !== undefined
  return {
    hasThumbnail,
    thumbnailLink:
      hasThumbnail && canDownload
        ? contentLink(origin, file, given ? THUMBNAIL : undefined)
        : undefined,
    thumbnailVersion: hasThumbnail ? String(thumbnailVersion ?? file.version) : undefined,
  }
}

/** Stands for a revision in the address of a thumbnail that a caller sent. */
export const THUMBNAIL = 'thumbnail'

function contentRestrictions(call: Call, {contentRestriction: lock}: FileDetails) {
  if (!lock) return undefined
  return [
    present({
      readOnly: true,
      reason: lock.reason,
      ownerRestricted: lock.ownerRestricted,
      restrictingUser: userRecordById(call.store, lock.restrictingUserId, call.user),
      restrictionDate: timestamp(lock.restrictionDate),
      systemRestricted: false,
      type: 'globalContentRestriction',
    }),
  ]
}

/** Names from before shared drives were called so. */
function oldCapabilities(
  can: ReturnType<typeof capabilitiesOf> & {readonly canReadDrive: boolean},
) {
  return {
    canChangeRestrictedDownload: can.canChangeCopyRequiresWriterPermission,
    canMoveChildrenOutOfTeamDrive: can.canMoveChildrenOutOfDrive,
    canMoveChildrenWithinTeamDrive: can.canMoveChildrenWithinDrive,
    canMoveItemIntoTeamDrive: can.canMoveItemOutOfDrive,
    canMoveItemOutOfTeamDrive: can.canMoveItemOutOfDrive,
    canMoveItemWithinTeamDrive: can.canMoveItemWithinDrive,
    canMoveTeamDriveItem: can.canMoveItemOutOfDrive,
    canReadTeamDrive: can.canReadDrive,
  }
}

function labelInfo(call: Call, file: OpenFile) {
  const wanted = (call.params as {includeLabels?: string}).includeLabels
  const ids =
    wanted
      ?.split(',')
      .map(id => id.trim())
      .filter(id => id !== '') ?? []
  return ids.length > 0 ? {labels: labelRecords(call, file.id, ids)} : undefined
}
