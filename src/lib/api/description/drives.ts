import type {MethodSources} from '#lib/api/types.js'
import {
  dateTime,
  domainAdmin,
  exchange,
  flag,
  listPage,
  nextPageToken,
  number,
  object,
  off,
  ofKind,
  oldFlag,
  output,
  paging,
  pathId,
  query,
  record,
  requiredBy,
  text,
} from './fields.js'
import {scopes} from './scopes.js'

const driveId = pathId('ID of the shared drive.')

const readDriveScopes = scopes('drive', 'drive.readonly')

export const drives = {
  delete: {
    path: 'drives/{driveId}',
    httpMethod: 'DELETE',
    description:
      'Delete a shared drive of which you are an organizer for good. It may hold only trashed items.',
    parameters: {
      driveId,
      ...query({
        allowItemDeletion: off('Delete the items in it as well; only with useDomainAdminAccess.'),
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
    description: 'Create a shared drive, with you as its organizer.',
    parameters: query({
      requestId: text(
        'Your own ID for this wish, such as a UUID; a repeat makes no second drive.',
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
    description: 'Change a shared drive. Fields you do not send stay as they are.',
    parameters: {driveId, ...domainAdmin},
    ...exchange('Drive'),
    scopes: scopes('drive'),
  },
} as const satisfies MethodSources

const backgroundImageFile = object(
  'Image to cut the background from; update only, not with themeId, never returned.',
  {
    id: text('ID of the image file.'),
    width: number('float', "Width of the cut, as a part of the image's width from 0 to 1."),
    xCoordinate: number('float', "Left edge of the cut, as a part of the image's width."),
    yCoordinate: number('float', "Top edge of the cut, as a part of the image's height."),
  },
)

const memberCapabilities = output({
  canAddChildren: flag('You may put items into its folders.'),
  canChangeCopyRequiresWriterPermissionRestriction: flag(
    'You may change the restriction copyRequiresWriterPermission.',
  ),
  canChangeDomainUsersOnlyRestriction: flag('You may change the restriction domainUsersOnly.'),
  canChangeSharingFoldersRequiresOrganizerPermissionRestriction: flag(
    'You may change the restriction sharingFoldersRequiresOrganizerPermission.',
  ),
  canComment: flag('You may comment on its files.'),
  canCopy: flag('You may copy its files.'),
  canDeleteChildren: flag('You may delete items from its folders.'),
  canDownload: flag('You may download its files.'),
  canEdit: flag('You may edit its files.'),
  canListChildren: flag('You may list its folders.'),
  canManageMembers: flag('You may add and remove members and change their roles.'),
  canReadRevisions: flag('You may read the revisions of its files.'),
  canRename: flag('You may rename its files and folders.'),
  canShare: flag('You may share its files and folders.'),
  canTrashChildren: flag('You may trash items in its folders.'),
})

const commonRestrictions = {
  adminManagedRestrictions: flag('Only administrators may change these restrictions.'),
  copyRequiresWriterPermission: flag(
    'Readers and commenters may not copy, print or download files.',
  ),
  domainUsersOnly: flag('Only people of the domain have access.'),
  sharingFoldersRequiresOrganizerPermission: flag(
    'Only organizers may share folders, not file organizers.',
  ),
}

export const drivesSchemas = ofKind({
  Drive: object('A shared drive.', {
    backgroundImageFile,
    colorRgb: text('Colour as #rrggbb; update only, not with themeId.'),
    createdDate: dateTime('When the shared drive was created.'),
    hidden: flag('Hidden from your default view; drives.hide and drives.unhide change it.'),
    name: text('Name of the shared drive.', requiredBy('drive.drives.insert')),
    restrictions: object('What is not allowed in the shared drive.', {
      ...commonRestrictions,
      driveMembersOnly: flag('Only members have access to items.'),
    }),
    themeId: text(
      'Theme that sets colour and background, by chance on insert unless given; never returned.',
    ),
    ...output({
      backgroundImageLink: text('Address of the background image, valid for a short time.'),
      capabilities: object('What you may do in the shared drive.', {
        ...memberCapabilities,
        ...output({
          canChangeDriveBackground: flag('You may change the background.'),
          canChangeDriveMembersOnlyRestriction: flag(
            'You may change the restriction driveMembersOnly.',
          ),
          canDeleteDrive: flag('You may delete the shared drive, once it holds no untrashed item.'),
          canRenameDrive: flag('You may rename the shared drive.'),
          canResetDriveRestrictions: flag('You may set the restrictions back to their defaults.'),
        }),
      }),
      id: text('ID of the shared drive and of its top folder.'),
      orgUnitId: text('Unit of the organization; only in lists with useDomainAdminAccess.'),
    }),
  }),
  DriveList: listPage('Drive', 'A page of shared drives.', {nextPageToken}),
  TeamDrive: record(
    'Old form of Drive, which only old fields of other records still show.',
    {
      backgroundImageFile,
      backgroundImageLink: text('Address of the background image, valid for a short time.'),
      capabilities: object('What you may do in the shared drive.', {
        ...memberCapabilities,
        ...output({
          canChangeTeamDriveBackground: flag('Old name of canChangeDriveBackground.'),
          canChangeTeamMembersOnlyRestriction: flag(
            'Old name of canChangeDriveMembersOnlyRestriction.',
          ),
          canDeleteTeamDrive: flag('Old name of canDeleteDrive.'),
          canRemoveChildren: oldFlag('canDeleteChildren and canTrashChildren'),
          canRenameTeamDrive: flag('Old name of canRenameDrive.'),
          canResetTeamDriveRestrictions: flag('Old name of canResetDriveRestrictions.'),
        }),
      }),
      colorRgb: text('Colour as #rrggbb.'),
      createdDate: dateTime('When the shared drive was created.'),
      id: text('ID of the shared drive and of its top folder.'),
      name: text('Name of the shared drive.'),
      orgUnitId: text('Unit of the organization.'),
      restrictions: object('What is not allowed in the shared drive.', {
        ...commonRestrictions,
        teamMembersOnly: flag('Old name of driveMembersOnly.'),
      }),
      themeId: text('Theme that sets colour and background.'),
    },
    {deprecated: true},
  ),
})
