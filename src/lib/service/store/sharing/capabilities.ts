import {FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'
import {findRow} from '#lib/service/store/database/rows.js'
import {detailsOf, type FileRow} from '#lib/service/store/files/files.js'
import type {Store} from '#lib/service/store/index.js'

/** What someone may do with an item, the strongest first. `commenter` is `reader` with an additional role on the wire. */
export const ROLES = [
  'owner',
  'organizer',
  'fileOrganizer',
  'writer',
  'commenter',
  'reader',
] as const
export type Role = (typeof ROLES)[number]

/** An item the caller reached, and the caller's role on it. */
export interface OpenFile extends FileRow {
  readonly role: Role
}

/** Whether a role is `needed` or a stronger one. */
export function atLeast(role: Role | undefined, needed: Role): boolean {
  return role !== undefined && ROLES.indexOf(role) <= ROLES.indexOf(needed)
}

/** What the caller may do with an item, for records and refusals alike (reference: protocols.md, sections 10-12). */
export function capabilitiesOf(store: Store, file: OpenFile) {
  return capabilitiesUnder(driveRules(store, file.drive_id), file)
}

/** The same, where the rules of the item's shared drive are at hand. */
export function capabilitiesUnder(drive: Restrictions, file: OpenFile) {
  const {role} = file
  const details = detailsOf(file)
  const inDrive = file.drive_id !== null
  const inAppFolder = file.space === 'appDataFolder'
  const isFolder = file.mime_type === FOLDER_TYPE
  const isShortcut = file.mime_type === SHORTCUT_TYPE
  const isTop = file.parent_id === null
  const canWrite = atLeast(role, 'writer')
  // What an owner is to an item of My Drive: full say within the drive, and full say at all.
  const canManage = inDrive ? atLeast(role, 'fileOrganizer') : role === 'owner'
  const canRule = inDrive ? atLeast(role, 'organizer') : role === 'owner'
  const lock = details.contentRestriction
  const open = canWrite && !lock
  const canLiftLock = canWrite && (!lock?.ownerRestricted || canRule)
  const copiesAreFree = !details.copyRequiresWriterPermission && !drive.copyRequiresWriterPermission
  const canDownload = !isFolder && (copiesAreFree || canWrite)
  const canMoveWithin = !isTop && !inAppFolder && (inDrive ? canManage : canWrite)
  const canMoveOut = !isTop && !inAppFolder && canManage
  const needsOrganizer = isTop || (isFolder && drive.sharingFoldersRequiresOrganizerPermission)
  const canShareAtAll = inDrive
    ? atLeast(role, needsOrganizer ? 'organizer' : 'fileOrganizer')
    : role === 'owner' || (canWrite && details.writersCanShare !== false)
  const canTrash = canManage && !isTop && !inAppFolder
  return {
    canAcceptOwnership: false,
    canAddChildren: isFolder && canWrite,
    canAddFolderFromAnotherDrive: isFolder && inDrive && canManage,
    canAddMyDriveParent: false,
    canChangeCopyRequiresWriterPermission: canWrite && !isFolder,
    canChangeSecurityUpdateEnabled: false,
    canComment: !isFolder && !isShortcut && atLeast(role, 'commenter') && !lock,
    canCopy: canDownload,
    canDelete: canRule && !isTop,
    canDeleteChildren: isFolder && inDrive && canRule,
    canDisableInheritedPermissions: canSetInheritance(file) && file.inherits === 1,
    canDownload: canDownload && !isShortcut,
    canEdit: canWrite,
    canEnableInheritedPermissions: canSetInheritance(file) && file.inherits === 0,
    canListChildren: isFolder,
    canModifyContent: open && !isFolder && !isShortcut,
    canModifyContentRestriction: canLiftLock && !isFolder && !isShortcut,
    canModifyEditorContentRestriction: canLiftLock && !isFolder && !isShortcut,
    canModifyLabels: canWrite,
    canModifyOwnerContentRestriction: canRule && !isFolder && !isShortcut,
    canMoveChildrenOutOfDrive: isFolder && inDrive && canManage,
    canMoveChildrenWithinDrive: isFolder && (inDrive ? canManage : canWrite),
    canMoveItemOutOfDrive: canMoveOut,
    canMoveItemWithinDrive: canMoveWithin,
    canReadLabels: true,
    canReadRevisions: canWrite && !isFolder && !isShortcut,
    canRemoveChildren: isFolder && !inDrive && canWrite,
    canRemoveContentRestriction: lock !== undefined && canLiftLock,
    canRemoveMyDriveParent: !inDrive && canMoveWithin,
    canRename: open && !isTop,
    canShare: canShareAtAll && !inAppFolder && (inDrive || !isTop),
    canTrash,
    canTrashChildren: isFolder && inDrive && canManage,
    canUntrash: canTrash && file.explicitly_trashed === 1,
  } as const
}

export type Capability = keyof ReturnType<typeof capabilitiesOf>

/** Only an owner is sure to keep access when that from above ends; shared drives have none. */
function canSetInheritance(file: OpenFile): boolean {
  return file.role === 'owner' && file.parent_id !== null && file.space === 'drive'
}

export const RESTRICTIONS = [
  'adminManagedRestrictions',
  'copyRequiresWriterPermission',
  'domainUsersOnly',
  'driveMembersOnly',
  'sharingFoldersRequiresOrganizerPermission',
] as const

/** What is not allowed in a shared drive (reference: resources.md, Drive). */
export type Restrictions = Readonly<Record<(typeof RESTRICTIONS)[number], boolean>>

export function restrictionsOf({restrictions}: {readonly restrictions: string}): Restrictions {
  const set = JSON.parse(restrictions) as Partial<Restrictions>
  return Object.fromEntries(RESTRICTIONS.map(name => [name, set[name] === true])) as Restrictions
}

/** What a shared drive's restrictions add to every item in it; nothing in My Drive. */
export function driveRules(store: Store, driveId: string | null): Restrictions {
  const row =
    driveId === null ? undefined : findRow<{restrictions: string}>(store, 'drives', {id: driveId})
  return restrictionsOf(row ?? {restrictions: '{}'})
}

/** What a member may do in a shared drive: the one place that decides, for answers and refusals alike. */
export function driveCapabilities(drive: {readonly role: Role; readonly restrictions: string}) {
  const {role} = drive
  const restrictions = restrictionsOf(drive)
  const isOrganizer = role === 'organizer'
  const canOrganize = atLeast(role, 'fileOrganizer')
  const canWrite = atLeast(role, 'writer')
  // Only administrators lift that lock, and accounts of this service administer no domain.
  const canRestrict = isOrganizer && !restrictions.adminManagedRestrictions
  const canTakeAway = canWrite || !restrictions.copyRequiresWriterPermission
  return {
    canAddChildren: canWrite,
    canChangeCopyRequiresWriterPermissionRestriction: canRestrict,
    canChangeDomainUsersOnlyRestriction: canRestrict,
    canChangeDriveBackground: isOrganizer,
    canChangeDriveMembersOnlyRestriction: canRestrict,
    canChangeSharingFoldersRequiresOrganizerPermissionRestriction: canRestrict,
    canComment: atLeast(role, 'commenter'),
    canCopy: canTakeAway,
    canDeleteChildren: isOrganizer,
    canDeleteDrive: isOrganizer,
    canDownload: canTakeAway,
    canEdit: canWrite,
    canListChildren: true,
    canManageMembers: isOrganizer,
    canReadRevisions: canWrite,
    canRename: canWrite,
    canRenameDrive: isOrganizer,
    canResetDriveRestrictions: canRestrict,
    canShare: canOrganize,
    canTrashChildren: canOrganize,
  } as const
}
