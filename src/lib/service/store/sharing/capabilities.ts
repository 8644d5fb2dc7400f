import {FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'
import {findRow} from '#lib/service/store/database/rows.js'
import {detailsOf, type FileRow} from '#lib/service/store/files/files.js'
import type {Store} from '#lib/service/store/index.js'

/** Roles on an item, strongest first. In the API, `commenter` is `reader` with an additional role. */
export const ROLES = [
  'owner',
  'organizer',
  'fileOrganizer',
  'writer',
  'commenter',
  'reader',
] as const
export type Role = (typeof ROLES)[number]

/** An item that the caller can access, with the caller's role. */
export interface ReachedFile extends FileRow {
  readonly role: Role
}

/** Whether a role is at least as strong as `needed`. */
export function hasRole(role: Role | undefined, needed: Role): boolean {
  return role !== undefined && ROLES.indexOf(role) <= ROLES.indexOf(needed)
}

/** The capabilities of the caller on an item, for records and for checks (reference: protocols.md, sections 10-12). */
export function capabilitiesOf(store: Store, file: ReachedFile) {
  return capabilitiesUnder(driveRules(store, file.drive_id), file)
}

/** Like `capabilitiesOf`, with the restrictions of the item's shared drive. */
export function capabilitiesUnder(drive: Restrictions, file: ReachedFile) {
  const {role} = file
  const details = detailsOf(file)
  const inDrive = file.drive_id !== null
  const inAppFolder = file.space === 'appDataFolder'
  const isFolder = file.mime_type === FOLDER_TYPE
  const isShortcut = file.mime_type === SHORTCUT_TYPE
  const isTop = file.parent_id === null
  const canWrite = hasRole(role, 'writer')
  // In My Drive, the owner has both; in shared drives, they belong to different roles.
  const canManage = inDrive ? hasRole(role, 'fileOrganizer') : role === 'owner'
  const canRule = inDrive ? hasRole(role, 'organizer') : role === 'owner'
  const lock = details.contentRestriction
  const open = canWrite && !lock
  const canLiftLock = canWrite && (!lock?.ownerRestricted || canRule)
  const copiesAreFree = !details.copyRequiresWriterPermission && !drive.copyRequiresWriterPermission
  const canDownload = !isFolder && (copiesAreFree || canWrite)
  const canMoveWithin = !isTop && !inAppFolder && (inDrive ? canManage : canWrite)
  const canMoveOut = !isTop && !inAppFolder && canManage
  const needsOrganizer = isTop || (isFolder && drive.sharingFoldersRequiresOrganizerPermission)
  const canShareAtAll = inDrive
    ? hasRole(role, needsOrganizer ? 'organizer' : 'fileOrganizer')
    : role === 'owner' || (canWrite && details.writersCanShare !== false)
  const canTrash = canManage && !isTop && !inAppFolder
  return {
    canAcceptOwnership: false,
    canAddChildren: isFolder && canWrite,
    canAddFolderFromAnotherDrive: isFolder && inDrive && canManage,
    canAddMyDriveParent: false,
    canChangeCopyRequiresWriterPermission: canWrite && !isFolder,
    canChangeSecurityUpdateEnabled: false,
    canComment: !isFolder && !isShortcut && hasRole(role, 'commenter') && !lock,
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

/** Whether the caller can turn inheritance on or off: only the owner, who keeps access without inherited permissions. Items of shared drives have no owner. */
function canSetInheritance(file: ReachedFile): boolean {
  return file.role === 'owner' && file.parent_id !== null && file.space === 'drive'
}

export const RESTRICTIONS = [
  'adminManagedRestrictions',
  'copyRequiresWriterPermission',
  'domainUsersOnly',
  'driveMembersOnly',
  'sharingFoldersRequiresOrganizerPermission',
] as const

/** The restrictions of a shared drive (reference: resources.md, Drive). */
export type Restrictions = Readonly<Record<(typeof RESTRICTIONS)[number], boolean>>

export function restrictionsOf({restrictions}: {readonly restrictions: string}): Restrictions {
  const set = JSON.parse(restrictions) as Partial<Restrictions>
  return Object.fromEntries(RESTRICTIONS.map(name => [name, set[name] === true])) as Restrictions
}

/** The restrictions for the items of a shared drive; none are set in My Drive (`null`). */
export function driveRules(store: Store, driveId: string | null): Restrictions {
  const row =
    driveId === null ? undefined : findRow<{restrictions: string}>(store, 'drives', {id: driveId})
  return restrictionsOf(row ?? {restrictions: '{}'})
}

/** The capabilities of a member in a shared drive, for records and for checks. */
export function driveCapabilities(drive: {readonly role: Role; readonly restrictions: string}) {
  const {role} = drive
  const restrictions = restrictionsOf(drive)
  const isOrganizer = role === 'organizer'
  const canOrganize = hasRole(role, 'fileOrganizer')
  const canWrite = hasRole(role, 'writer')
  // Only domain administrators can remove this restriction, and this service has none.
  const canRestrict = isOrganizer && !restrictions.adminManagedRestrictions
  const canTakeAway = canWrite || !restrictions.copyRequiresWriterPermission
  return {
    canAddChildren: canWrite,
    canChangeCopyRequiresWriterPermissionRestriction: canRestrict,
    canChangeDomainUsersOnlyRestriction: canRestrict,
    canChangeDriveBackground: isOrganizer,
    canChangeDriveMembersOnlyRestriction: canRestrict,
    canChangeSharingFoldersRequiresOrganizerPermissionRestriction: canRestrict,
    canComment: hasRole(role, 'commenter'),
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
