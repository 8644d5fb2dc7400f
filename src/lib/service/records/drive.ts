import {themeBackground} from '#lib/service/metadata/drive.js'
import type {BackgroundImage, OpenDrive} from '#lib/service/store/drives.js'
import {hasRole} from '#lib/service/store/sharing/access.js'
import {driveCapabilities, restrictionsOf} from '#lib/service/store/sharing/capabilities.js'
import {link, timestamp} from './common.js'

/** The Drive record of a shared drive for one of its members (reference: resources.md, Drive). */
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

/** The TeamDrive record, the older form of a Drive record, for older fields. */
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
      canRemoveChildren: hasRole(drive.role, 'fileOrganizer'),
      canRenameTeamDrive: canRenameDrive,
      canResetTeamDriveRestrictions: canResetDriveRestrictions,
    },
    restrictions: {...restrict, teamMembersOnly: driveMembersOnly},
  }
}
