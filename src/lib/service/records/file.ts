import {type Selection, selects} from '#lib/api/fields.js'
import type {Call} from '#lib/service/call.js'
import {exportTypes} from '#lib/service/content/convert.js'
import {kindOfType} from '#lib/service/content/types.js'
import {detailsOf, type FileDetails} from '#lib/service/store/files/files.js'
import {labelsOf} from '#lib/service/store/files/labels.js'
import type {ReachedFile} from '#lib/service/store/sharing/access.js'
import {capabilitiesUnder} from '#lib/service/store/sharing/capabilities.js'
import {ownGrant, permissionAmong} from '#lib/service/store/sharing/permissions.js'
import {
  alternateLink,
  contentLink,
  embedLink,
  etagOf,
  exportLinks,
  iconLink,
  link,
  parentReference,
  present,
  thumbnailLink,
  timestamp,
  userRecord,
  webContentLink,
} from './common.js'
import {lookupsFor, memoize, type RecordLookups} from './lookups.js'
import {labelRecord, permissionRecord, propertyRecord} from './parts.js'

/**
 * The File record of an item for this caller (reference: resources.md, File). It contains the
 * selected `fields` that apply to the type of the item, and always `etag` and `id`. A
 * selected field is complete, including subfields that are not selected. Without `fields`, it
 * contains all fields except `permissions` (reference: protocols.md, section 4). `includeLabels` of
 * the request adds labels. Records of several files share `lookups`.
 */
export function fileRecord(
  call: Call,
  file: ReachedFile,
  fields: Selection | undefined = call.fields,
  lookups: RecordLookups = lookupsFor(call, [file]),
): Record<string, unknown> {
  const facts = factsOf(call, file, lookups)
  const record: Record<string, unknown> = {}
  for (const [name, make] of MAKERS) {
    const value = isSelected(name, fields) ? make(facts) : undefined
    // Responses omit fields without a value.
    if (value !== undefined && value !== null) record[name] = value
  }
  return record
}

/** Fields that the service itself needs. Responses omit them unless they are selected. */
const ALWAYS: readonly string[] = ['etag', 'id']

function isSelected(name: string, fields: Selection | undefined): boolean {
  if (fields === undefined) return name !== 'permissions'
  return ALWAYS.includes(name) || selects(fields, name)
}

/** The entity tag of a file. It differs for every version. */
export function fileEtag(file: {readonly id: string; readonly version: number}): string {
  return etagOf(file.id, file.version)
}

function date(ms: number | null): string | undefined {
  return ms === null ? undefined : timestamp(ms)
}

/** The data that fields are built from. Expensive data is a function that computes it once. */
function factsOf(call: Call, file: ReachedFile, lookups: RecordLookups) {
  return {
    call,
    file,
    origin: call.origin,
    details: detailsOf(file),
    kind: kindOfType(file.mime_type) ?? 'binary',
    can: memoize(() => ({
      ...capabilitiesUnder(lookups.rules(file.drive_id), file),
      // A user with access to a single item is not a member of its shared drive.
      canReadDrive: file.drive_id !== null && lookups.isMember(file.drive_id),
    })),
    lookups,
    mine: () => lookups.mine(file),
    owner: () => lookups.user(file.owner_id!)!,
    modifier: () => (file.modifier_id === null ? undefined : lookups.user(file.modifier_id)),
    permissions: () => lookups.permissions(file),
    /** The User record for the ID of a user in a row; `undefined` for `null`. */
    userOf(id: number | null) {
      const user = id === null ? undefined : lookups.user(id)
      return user && userRecord(user, call)
    },
  }
}

type Facts = ReturnType<typeof factsOf>

/** Functions that build the fields of a record. They return `undefined` or `null` if a field does not apply. */
type Makers = Readonly<Record<string, (facts: Facts) => unknown>>

/** These fields for files to which `applies` returns true, and `undefined` for others. */
function where(applies: (facts: Facts) => boolean, makers: Makers): Makers {
  return Object.fromEntries(
    Object.entries(makers).map(([name, make]) => [
      name,
      facts => (applies(facts) ? make(facts) : undefined),
    ]),
  )
}

const driveFields: Makers = {
  driveId: ({file}) => file.drive_id,
  teamDriveId: ({file}) => file.drive_id,
  ...where(({file}) => file.explicitly_trashed === 1, {
    trashedDate: ({file}) => date(file.trashed_at),
    trashingUser: ({file, userOf}) => userOf(file.trasher_id),
  }),
}

const myDriveFields: Makers = {
  owners: ({call, owner}) => [userRecord(owner(), call)],
  ownerNames: ({owner}) => [owner().name],
  ownedByMe: ({call, file}) => file.owner_id === call.user.id,
  writersCanShare: ({details}) => details.writersCanShare ?? true,
}

/** Access to the file. Only users who can share it see all permissions, and never for items of shared drives. */
const accessFields: Makers = {
  shared: ({file, permissions}) => (isInDrive(file) ? undefined : permissions().length > 1),
  hasAugmentedPermissions: ({file, permissions}) =>
    isInDrive(file)
      ? file.id !== file.drive_id && permissions().some(one => ownGrant(one) !== undefined)
      : undefined,
  userPermission({call, file, permissions}) {
    const mine = permissionAmong(permissions(), call.user)
    return mine && permissionRecord(call, file.id, mine)
  },
  ...where(({can}) => can().canShare, {
    permissionIds: ({permissions}) => permissions().map(({id}) => id),
    permissions: ({call, file, permissions}) =>
      isInDrive(file) ? undefined : permissions().map(one => permissionRecord(call, file.id, one)),
  }),
}

const binaryFields: Makers = {
  originalFilename: ({file}) => file.original_filename,
  fileSize: ({file}) => String(file.size ?? 0),
  md5Checksum: ({file}) => file.md5,
  sha1Checksum: ({file}) => file.sha1,
  sha256Checksum: ({file}) => file.sha256,
  headRevisionId: ({file}) => file.head_revision_id,
  fullFileExtension: ({details}) => details.fullFileExtension,
  fileExtension: ({details}) => details.fullFileExtension?.split('.').at(-1),
  imageMediaMetadata: ({details}) => details.image,
  ...where(({can}) => can().canDownload, {
    downloadUrl: ({file, origin}) => contentLink(origin, file),
    webContentLink: ({file, origin}) => webContentLink(origin, file.id),
  }),
}

/** The uploaded thumbnail. An image in a supported format is its own thumbnail. */
const thumbnailFields: Makers = {
  hasThumbnail: ({details}) => hasThumbnail(details),
  ...where(({details}) => hasThumbnail(details), {
    thumbnailLink({file, origin, details, can}) {
      if (!can().canDownload) return undefined
      const isUploaded = details.thumbnailVersion !== undefined
      return thumbnailLink(origin, file.id, isUploaded)
    },
  }),
  thumbnailVersion: ({file, details}) =>
    String(details.thumbnailVersion ?? (details.image ? file.version : 0)),
}

/** All fields, in the order of the record. */
const MAKERS = Object.entries<Makers[string]>({
  kind: () => 'drive#file',
  id: ({file}) => file.id,
  etag: ({file}) => fileEtag(file),
  selfLink: ({file, origin}) => link(origin, 'files', file.id),
  alternateLink: ({file, origin}) => alternateLink(origin, file.id),
  embedLink: ({file, origin}) => embedLink(origin, file.id),
  iconLink: ({file, origin}) => iconLink(origin, file.mime_type),
  title: ({file}) => file.title,
  mimeType: ({file}) => file.mime_type,
  description: ({details}) => details.description,
  labels: ({file, details, mine}) => ({
    starred: mine().starred === 1,
    hidden: false,
    trashed: file.trashed === 1,
    restricted: details.copyRequiresWriterPermission ?? false,
    viewed: mine().viewed_at !== null,
    modified: mine().modified_at !== null,
  }),
  labelInfo: ({call, file}) => labelInfo(call, file),
  explicitlyTrashed: ({file}) => file.explicitly_trashed === 1,
  createdDate: ({file}) => timestamp(file.created_at),
  modifiedDate: ({file}) => timestamp(file.modified_at),
  modifiedByMeDate: ({mine}) => date(mine().modified_at),
  lastViewedByMeDate: ({mine}) => date(mine().viewed_at),
  // The public service no longer stores this date and returns 1970-01-01 for every file.
  markedViewedByMeDate: () => timestamp(0),
  sharedWithMeDate: ({mine}) => date(mine().shared_at),
  sharingUser: ({mine, userOf}) => userOf(mine().sharer_id),
  lastModifyingUser: ({file, userOf}) => userOf(file.modifier_id),
  lastModifyingUserName: ({modifier}) => modifier()?.name,
  version: ({file}) => String(file.version),
  parents({call, file, lookups}) {
    const parent = lookups.parent(file)
    if (parent === undefined) return []
    return [parentReference(call.origin, file.id, parent, call.user.root_id)]
  },
  properties: ({call, file, lookups}) =>
    lookups.properties(file).map(row => propertyRecord(call, file.id, row)),
  spaces: ({file}) => [file.space],
  appDataContents: ({file}) => file.space === 'appDataFolder',
  isAppAuthorized: ({call, file}) => file.client_id === (call.clientId ?? null),
  quotaBytesUsed: ({file}) => String(file.quota_bytes),
  copyRequiresWriterPermission: ({details}) => details.copyRequiresWriterPermission ?? false,
  inheritedPermissionsDisabled: ({file}) => file.inherits === 0,
  contentRestrictions,
  clientEncryptionDetails: ({details}) => details.clientEncryptionDetails,
  linkShareMetadata: () => ({securityUpdateEligible: false, securityUpdateEnabled: true}),
  capabilities: ({can}) => ({...can(), ...oldCapabilities(can())}),
  editable: ({can}) => can().canEdit,
  copyable: ({can}) => can().canCopy,
  shareable: ({can}) => can().canShare,
  canComment: ({can}) => can().canComment,
  canReadRevisions: ({can}) => can().canReadRevisions,
  ...where(({file}) => isInDrive(file), driveFields),
  ...where(({file}) => !isInDrive(file), myDriveFields),
  ...accessFields,
  ...where(({kind}) => kind === 'folder', {
    folderColorRgb: ({details}) => details.folderColorRgb,
  }),
  ...where(({kind}) => kind === 'shortcut', {
    shortcutDetails: ({file, details}) =>
      present({targetId: file.shortcut_target_id, targetMimeType: details.targetMimeType}),
  }),
  ...where(({kind}) => kind === 'editor', {
    exportLinks({file, origin, can}) {
      const types = can().canDownload ? exportTypes(file.mime_type) : []
      return types.length > 0 ? exportLinks(origin, file.id, types) : undefined
    },
  }),
  ...where(({kind}) => kind === 'binary', binaryFields),
  ...thumbnailFields,
})

function isInDrive({drive_id}: ReachedFile): boolean {
  return drive_id !== null
}

function hasThumbnail({thumbnailVersion, image}: FileDetails): boolean {
  return thumbnailVersion !== undefined || image !== undefined
}

function contentRestrictions({details, userOf}: Facts) {
  const {contentRestriction: lock} = details
  if (!lock) return undefined
  return [
    present({
      readOnly: true,
      reason: lock.reason,
      ownerRestricted: lock.ownerRestricted,
      restrictingUser: userOf(lock.restrictingUserId),
      restrictionDate: timestamp(lock.restrictionDate),
      systemRestricted: false,
      type: 'globalContentRestriction',
    }),
  ]
}

/** Capabilities under their older names, from when shared drives were called team drives. */
function oldCapabilities(can: ReturnType<Facts['can']>) {
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

function labelInfo(call: Call, file: ReachedFile) {
  const {includeLabels = ''} = call.params as {includeLabels?: string}
  const ids = includeLabels.split(',').map(id => id.trim())
  if (ids.every(id => id === '')) return undefined
  const rows = labelsOf(call.store, file.id).filter(row => ids.includes(row.label_id))
  return {labels: rows.map(row => labelRecord(call, row))}
}
