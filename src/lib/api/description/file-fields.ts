import {deprecatedFlag, flag, int32, number, record, text} from './fields.js'

/** `File.capabilities`. */
export const capabilities = record('Actions you can take on the file.', {
  canAcceptOwnership: flag('You are a pending owner and can accept; My Drive only.'),
  canAddChildren: flag('You can add items to this folder.'),
  canAddFolderFromAnotherDrive: flag(
    'You can add a folder from another drive to this folder; shared drives only.',
  ),
  canAddMyDriveParent: flag('You can add a parent without removing another; My Drive only.'),
  canChangeCopyRequiresWriterPermission: flag('You can change copyRequiresWriterPermission.'),
  canChangeRestrictedDownload: flag('No longer used.', {deprecated: true}),
  canChangeSecurityUpdateEnabled: flag('You can change linkShareMetadata.securityUpdateEnabled.'),
  canComment: flag('You can comment on the file.'),
  canCopy: flag('You can copy the file, or the files in a folder of a shared drive.'),
  canDelete: flag('You can delete the file.'),
  canDeleteChildren: flag('You can delete items from this folder; shared drives only.'),
  canDisableInheritedPermissions: flag(
    'You can disable permissions inherited from the parent folder.',
  ),
  canDownload: flag('You can download the file.'),
  canEdit: flag('You can edit the file, within the limits of the other fields here.'),
  canEnableInheritedPermissions: flag(
    'You can enable permissions inherited from the parent folder.',
  ),
  canListChildren: flag('You can list this folder.'),
  canModifyContent: flag('You can change the content.'),
  canModifyContentRestriction: deprecatedFlag(
    'canModifyEditorContentRestriction, canModifyOwnerContentRestriction and canRemoveContentRestriction',
  ),
  canModifyEditorContentRestriction: flag(
    'You can lock the content so that editors can unlock it.',
  ),
  canModifyLabels: flag('You can change the labels.'),
  canModifyOwnerContentRestriction: flag(
    'You can lock the content so that only owners can unlock it.',
  ),
  canMoveChildrenOutOfDrive: flag(
    'You can move items of this folder out of the drive; shared drives only.',
  ),
  canMoveChildrenOutOfTeamDrive: deprecatedFlag('canMoveChildrenOutOfDrive'),
  canMoveChildrenWithinDrive: flag('You can move items of this folder within the drive.'),
  canMoveChildrenWithinTeamDrive: deprecatedFlag('canMoveChildrenWithinDrive'),
  canMoveItemIntoTeamDrive: deprecatedFlag('canMoveItemOutOfDrive'),
  canMoveItemOutOfDrive: flag(
    'You can move the item to another drive, if the new parent allows it.',
  ),
  canMoveItemOutOfTeamDrive: deprecatedFlag('canMoveItemOutOfDrive'),
  canMoveItemWithinDrive: flag('You can move the item within its drive, if both parents allow it.'),
  canMoveItemWithinTeamDrive: deprecatedFlag('canMoveItemWithinDrive'),
  canMoveTeamDriveItem: deprecatedFlag('canMoveItemWithinDrive and canMoveItemOutOfDrive'),
  canReadDrive: flag('You can read the shared drive the file is in.'),
  canReadLabels: flag('You can see the labels.'),
  canReadRevisions: flag('You can read the revisions.'),
  canReadTeamDrive: deprecatedFlag('canReadDrive'),
  canRemoveChildren: flag('You can remove items from this folder; My Drive only.'),
  canRemoveContentRestriction: flag('The content is locked and you can unlock it.'),
  canRemoveMyDriveParent: flag('You can remove the parent without adding another; My Drive only.'),
  canRename: flag('You can rename the file.'),
  canShare: flag('You can change the permissions.'),
  canTrash: flag('You can move the file to the trash.'),
  canTrashChildren: flag('You can trash items in this folder; shared drives only.'),
  canUntrash: flag('You can restore the file from the trash.'),
})

/** `File.imageMediaMetadata`. */
export const imageMediaMetadata = record('Metadata of the image; images only.', {
  aperture: number('float', 'Aperture, as an f-number.'),
  cameraMake: text('Manufacturer of the camera.'),
  cameraModel: text('Model of the camera.'),
  colorSpace: text('Color space.'),
  date: text('Time the photo was taken, in EXIF format.'),
  exposureBias: number('float', 'Exposure bias, in APEX units.'),
  exposureMode: text('Exposure mode.'),
  exposureTime: number('float', 'Exposure time in seconds.'),
  flashUsed: flag('The flash was fired.'),
  focalLength: number('float', 'Focal length in millimeters.'),
  height: int32('Height in pixels.'),
  isoSpeed: int32('ISO speed.'),
  lens: text('Lens.'),
  location: record('Where the photo was taken.', {
    altitude: number('double', 'Altitude in meters.'),
    latitude: number('double', 'Latitude in degrees.'),
    longitude: number('double', 'Longitude in degrees.'),
  }),
  maxApertureValue: number('float', 'Widest aperture at this focal length, in APEX units.'),
  meteringMode: text('Metering mode.'),
  rotation: int32('Number of clockwise quarter turns from the original.'),
  sensor: text('Type of sensor.'),
  subjectDistance: int32('Distance to the subject in meters.'),
  whiteBalance: text('White balance mode.'),
  width: int32('Width in pixels.'),
})
