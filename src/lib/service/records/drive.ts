import {themeBackground} from '#lib/service/metadata/themes.js'
import type {BackgroundImage, OpenDrive} from '#lib/service/store/drives.js'
import {atLeast} from '#lib/service/store/sharing/access.js'
import {restrictionsOf} from '#lib/service/store/sharing/capabilities.js'
import {link, timestamp} from './common.js'

/** The Drive record of a shared drive, as a member sees it (reference: resources.md, Drive). */
export function driveRecord({origin}: {readonly origin: string}, drive: OpenDrive) {
  return {
    kind: 'drive#drive',
    id: drive.id,
    name: drive.name,
    colorRgb: drive.color_rgb,
    backgroundImageLink: backgroundLink(origin, drive),
    capabilities: driveCapabilities(drive),
    createdDate: timestamp(drive.created_at),
    hidden: drive.hidden === 1,
    restrictions: restrictionsOf(drive),
  }
}

function backgroundLink(origin: string, drive: OpenDrive): string {
  if (drive.background === null) return themeBackground({colorRgb: drive.color_rgb})
  const {id} = JSON.parse(drive.background) as BackgroundImage
  return `${link(origin, 'files', id)}?alt=media`
}

/** What a member may do in a shared drive: the one place that decides, for answers and refusals alike. */
export function driveCapabilities(drive: OpenDrive) {
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

/** The old form of a Drive record, for the old fields that show it. */
export function teamDriveRecord(drive: OpenDrive, record: ReturnType<typeof driveRecord>) {
  const {hidden: _hidden, capabilities, restrictions, ...rest} = record
  const {
    canChangeDriveBackground,
    canChangeDriveMembersOnlyRestriction,
    canDeleteDrive,
    canRenameDrive,
    canResetDriveRestrictions,
    ...can
  } = capabilities
  const {driveMembersOnly, ...restrict} = restrictions
  return {
    ...rest,
    kind: 'drive#teamDrive',
    capabilities: {
      ...can,
      canChangeTeamDriveBackground: canChangeDriveBackground,
      canChangeTeamMembersOnlyRestriction: canChangeDriveMembersOnlyRestriction,
      canDeleteTeamDrive: canDeleteDrive,
      canRemoveChildren: atLeast(drive.role, 'fileOrganizer'),
      canRenameTeamDrive: canRenameDrive,
      canResetTeamDriveRestrictions: canResetDriveRestrictions,
    },
    restrictions: {...restrict, teamMembersOnly: driveMembersOnly},
  }
}
