import type {MethodSources} from '#lib/api/types.js'
import {
  dateTime,
  deprecatedFlag,
  domainAdmin,
  exchange,
  flag,
  listPage,
  nextPageToken,
  number,
  object,
  off,
  output,
  paging,
  pathId,
  query,
  record,
  requiredBy,
  text,
  withKind,
} from './fields.js'
import {scopes} from './scopes.js'

const driveId = pathId('ID of the shared drive.')

const readDriveScopes = scopes('drive', 'drive.readonly')

export const drives = {
  delete: {
    path: 'drives/{driveId}',
    httpMethod: 'DELETE',
    description:
      'Permanently delete a shared drive that you organize. The drive must contain only trashed items.',
    parameters: {
      driveId,
      ...query({
        allowItemDeletion: off(
          'Also delete the items in the drive; only as an administrator of its domain.',
        ),
      }),
      ...domainAdmin,
    },
    scopes: scopes('drive'),
  },
  get: {
    path: 'drives/{driveId}',
    httpMethod: 'GET',
    description: 'Show a shared drive.',
    parameters: {driveId, ...domainAdmin},
    response: {$ref: 'Drive'},
    scopes: readDriveScopes,
  },
  hide: {
    path: 'drives/{driveId}/hide',
    httpMethod: 'POST',
    description: 'Hide a shared drive from your default view.',
    parameters: {driveId},
    response: {$ref: 'Drive'},
    scopes: scopes('drive'),
  },
  insert: {
    path: 'drives',
    httpMethod: 'POST',
    description: 'Create a shared drive with you as organizer.',
    parameters: query({
      requestId: text(
        'ID for this request, such as a UUID; repeating the request creates no second drive.',
        {
          required: true,
        },
      ),
    }),
    ...exchange('Drive'),
    scopes: scopes('drive'),
  },
  list: {
    path: 'drives',
    httpMethod: 'GET',
    description: 'List your shared drives, including hidden ones.',
    parameters: {
      ...paging('shared drives', {default: '10', minimum: '1', maximum: '100'}),
      ...query({
        q: text("Search query, such as: name contains 'sales' and hidden = false."),
        useDomainAdminAccess: off('List all shared drives of the domain you administer.'),
      }),
    },
    response: {$ref: 'DriveList'},
    scopes: readDriveScopes,
  },
  unhide: {
    path: 'drives/{driveId}/unhide',
    httpMethod: 'POST',
    description: 'Show a hidden shared drive in your default view again.',
    parameters: {driveId},
    response: {$ref: 'Drive'},
    scopes: scopes('drive'),
  },
  update: {
    path: 'drives/{driveId}',
    httpMethod: 'PUT',
    description: 'Update a shared drive. Fields you omit are not changed.',
    parameters: {driveId, ...domainAdmin},
    ...exchange('Drive'),
    scopes: scopes('drive'),
  },
} as const satisfies MethodSources

const backgroundImageFile = object(
  'Image to crop the background from; only on update, not with themeId, never returned.',
  {
    id: text('ID of the image file.'),
    width: number(
      'float',
      'Width of the cropped area, as a fraction of the image width from 0 to 1.',
    ),
    xCoordinate: number(
      'float',
      'Left edge of the cropped area, as a fraction of the image width.',
    ),
    yCoordinate: number(
      'float',
      'Top edge of the cropped area, as a fraction of the image height.',
    ),
  },
)

const memberCapabilities = output({
  canAddChildren: flag('You can add items to its folders.'),
  canChangeCopyRequiresWriterPermissionRestriction: flag(
    'You can change the restriction copyRequiresWriterPermission.',
  ),
  canChangeDomainUsersOnlyRestriction: flag('You can change the restriction domainUsersOnly.'),
  canChangeSharingFoldersRequiresOrganizerPermissionRestriction: flag(
    'You can change the restriction sharingFoldersRequiresOrganizerPermission.',
  ),
  canComment: flag('You can comment on its files.'),
  canCopy: flag('You can copy its files.'),
  canDeleteChildren: flag('You can delete items from its folders.'),
  canDownload: flag('You can download its files.'),
  canEdit: flag('You can edit its files.'),
  canListChildren: flag('You can list its folders.'),
  canManageMembers: flag('You can add and remove members and change their roles.'),
  canReadRevisions: flag('You can read the revisions of its files.'),
  canRename: flag('You can rename its files and folders.'),
  canShare: flag('You can share its files and folders.'),
  canTrashChildren: flag('You can trash items in its folders.'),
})

const commonRestrictions = {
  adminManagedRestrictions: flag('Only administrators can change these restrictions.'),
  copyRequiresWriterPermission: flag(
    'Readers and commenters cannot copy, print or download files.',
  ),
  domainUsersOnly: flag('Only users in the domain have access.'),
  sharingFoldersRequiresOrganizerPermission: flag(
    'Only organizers, not file organizers, can share folders.',
  ),
}

export const drivesSchemas = withKind({
  Drive: object('A shared drive.', {
    backgroundImageFile,
    colorRgb: text('Color as #rrggbb; only on update, not with themeId.'),
    createdDate: dateTime('When the shared drive was created.'),
    hidden: flag('Hidden from your default view; change with drives.hide and drives.unhide.'),
    name: text('Name of the shared drive.', requiredBy('drive.drives.insert')),
    restrictions: object('Restrictions on the shared drive.', {
      ...commonRestrictions,
      driveMembersOnly: flag('Only members have access to items.'),
    }),
    themeId: text(
      'Theme that sets color and background (default: random on insert); never returned.',
    ),
    ...output({
      backgroundImageLink: text('Short-lived URL of the background image.'),
      capabilities: object('Actions you can take in the shared drive.', {
        ...memberCapabilities,
        ...output({
          canChangeDriveBackground: flag('You can change the background.'),
          canChangeDriveMembersOnlyRestriction: flag(
            'You can change the restriction driveMembersOnly.',
          ),
          canDeleteDrive: flag('You can delete the shared drive, once all its items are trashed.'),
          canRenameDrive: flag('You can rename the shared drive.'),
          canResetDriveRestrictions: flag('You can reset the restrictions to their defaults.'),
        }),
      }),
      id: text('ID of the shared drive and of its root folder.'),
      orgUnitId: text('Organizational unit; only in lists with useDomainAdminAccess.'),
    }),
  }),
  DriveList: listPage('Drive', 'A page of shared drives.', {nextPageToken}),
  TeamDrive: record(
    'Deprecated: use Drive. Only deprecated fields of other records contain it.',
    {
      backgroundImageFile,
      backgroundImageLink: text('Short-lived URL of the background image.'),
      capabilities: object('Actions you can take in the shared drive.', {
        ...memberCapabilities,
        ...output({
          canChangeTeamDriveBackground: flag('Deprecated: use canChangeDriveBackground.'),
          canChangeTeamMembersOnlyRestriction: flag(
            'Deprecated: use canChangeDriveMembersOnlyRestriction.',
          ),
          canDeleteTeamDrive: flag('Deprecated: use canDeleteDrive.'),
          canRemoveChildren: deprecatedFlag('canDeleteChildren and canTrashChildren'),
          canRenameTeamDrive: flag('Deprecated: use canRenameDrive.'),
          canResetTeamDriveRestrictions: flag('Deprecated: use canResetDriveRestrictions.'),
        }),
      }),
      colorRgb: text('Color as #rrggbb.'),
      createdDate: dateTime('When the shared drive was created.'),
      id: text('ID of the shared drive and of its root folder.'),
      name: text('Name of the shared drive.'),
      orgUnitId: text('Organizational unit.'),
      restrictions: object('Restrictions on the shared drive.', {
        ...commonRestrictions,
        teamMembersOnly: flag('Deprecated: use driveMembersOnly.'),
      }),
      themeId: text('Theme that sets color and background.'),
    },
    {deprecated: true},
  ),
})
