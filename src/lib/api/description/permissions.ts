import type {MethodSources} from '#lib/api/types.js'
import {
  allDrives,
  dateTime,
  domainAdmin,
  etag,
  exchange,
  expansiveAccess,
  flag,
  listPage,
  nextPageToken,
  object,
  off,
  ofKind,
  oldFlag,
  oldText,
  on,
  output,
  paging,
  pathId,
  permissionsForView,
  query,
  record,
  records,
  requiredBy,
  selfLink,
  singleParent,
  text,
  texts,
} from './fields.js'
import {followScopes, lessScopes, readPermissionScopes, shareScopes} from './scopes.js'

const fileId = pathId('ID of the file, folder or shared drive.')
const permissionId = pathId('ID of the permission.')

/** What `patch` and `update` have in common: everything. */
const change = {
  parameters: {
    fileId,
    permissionId,
    ...query({
      removeExpiration: off('Remove the expiration date.'),
      transferOwnership: off('Needed for the role owner: the owner so far becomes a writer.'),
    }),
    ...allDrives,
    ...domainAdmin,
    ...expansiveAccess,
  },
  ...exchange('Permission'),
  scopes: shareScopes,
} as const

export const permissions = {
  delete: {
    path: 'files/{fileId}/permissions/{permissionId}',
    httpMethod: 'DELETE',
    description: 'Take away a permission on a file or shared drive.',
    parameters: {fileId, permissionId, ...allDrives, ...domainAdmin, ...expansiveAccess},
    scopes: shareScopes,
  },
  get: {
    path: 'files/{fileId}/permissions/{permissionId}',
    httpMethod: 'GET',
    description: 'Show a permission.',
    parameters: {fileId, permissionId, ...allDrives, ...domainAdmin},
    response: {$ref: 'Permission'},
    scopes: readPermissionScopes,
  },
  getIdForEmail: {
    path: 'permissionIds/{email}',
    httpMethod: 'GET',
    description: 'Find the permission ID that belongs to an email address.',
    parameters: {email: pathId('Email address of a user or group.')},
    response: {$ref: 'PermissionId'},
    scopes: lessScopes(followScopes, 'drive.meet.readonly'),
  },
  insert: {
    path: 'files/{fileId}/permissions',
    httpMethod: 'POST',
    description: 'Share a file or shared drive with a user, a group, a domain or anyone.',
    parameters: {
      fileId,
      ...query({
        emailMessage: text('Your own words in the notification mail.'),
        moveToNewOwnersRoot: off("Move the item to its new owner's root; My Drive items only."),
        sendNotificationEmails: on('Send a mail about it; a new owner always gets one.'),
      }),
      ...allDrives,
      ...domainAdmin,
      ...expansiveAccess,
      ...singleParent,
    },
    ...exchange('Permission'),
    scopes: shareScopes,
  },
  list: {
    path: 'files/{fileId}/permissions',
    httpMethod: 'GET',
    description: 'List who has access to a file or shared drive.',
    parameters: {
      fileId,
      ...paging('permissions', {minimum: '1', maximum: '100'}),
      ...permissionsForView,
      ...allDrives,
      ...domainAdmin,
    },
    response: {$ref: 'PermissionList'},
    scopes: readPermissionScopes,
  },
  patch: {
    path: 'files/{fileId}/permissions/{permissionId}',
    httpMethod: 'PATCH',
    description: 'Change a permission. Fields you do not send stay as they are.',
    ...change,
  },
  update: {
    path: 'files/{fileId}/permissions/{permissionId}',
    httpMethod: 'PUT',
    description: 'Change a permission: its role, its expiration date or its owner.',
    ...change,
  },
} as const satisfies MethodSources

const permissionDetails = records('Where each part of the access comes from; shared drives only.', {
  additionalRoles: texts('Roles on top of the main one.'),
  inherited: flag('The access comes from above this item.'),
  inheritedFrom: text('ID of the item the access comes from.'),
  permissionType: text(
    'Whether granted on the item (file) or by membership of the drive (member).',
  ),
  role: text('One of organizer, fileOrganizer, writer or reader.'),
})

const teamDrivePermissionDetails = records(
  'Old name of permissionDetails.',
  {
    additionalRoles: texts('Old name of permissionDetails.additionalRoles.', {deprecated: true}),
    inherited: oldFlag('permissionDetails.inherited'),
    inheritedFrom: oldText('permissionDetails.inheritedFrom'),
    role: oldText('permissionDetails.role'),
    teamDrivePermissionType: oldText('permissionDetails.permissionType'),
  },
  {deprecated: true},
)

export const permissionsSchemas = ofKind({
  Permission: object('The access that a user, a group, a domain or anyone has to an item.', {
    additionalRoles: texts('Roles on top of the main one: commenter, for readers.'),
    expirationDate: dateTime(
      'When the access ends, within a year; users and groups only, and not on insert.',
    ),
    id: text('ID of whoever has access; an insert takes this or value, neither for anyone.'),
    inheritedPermissionsDisabled: flag(
      'Only owners, organizers and people added to the item itself have access.',
    ),
    pendingOwner: flag('The user has been asked to become owner; users and My Drive only.'),
    role: text(
      'One of owner, organizer, fileOrganizer, writer or reader.',
      requiredBy('drive.permissions.insert'),
    ),
    type: text(
      'One of user, group, domain or anyone; cannot be changed later.',
      requiredBy('drive.permissions.insert'),
    ),
    value: text('Email address or domain on insert; never returned.'),
    view: text('View the permission belongs to, if any: published or metadata.'),
    withLink: flag('Only people with the link find the item; types domain and anyone.'),
    ...output({
      authKey: text('No longer used.', {deprecated: true}),
      deleted: flag('The account no longer exists; users and groups only.'),
      domain: text('Domain of the user, group or domain.'),
      emailAddress: text('Email address of the user or group.'),
      etag,
      name: text('Name to show for the user, group or domain.'),
      permissionDetails,
      photoLink: text('Address of a picture of the user, if there is one.'),
      selfLink,
      teamDrivePermissionDetails,
    }),
  }),
  PermissionId: record('The ID that a user or group has in permissions.', {
    id: text('The ID.'),
  }),
  PermissionList: listPage('Permission', 'A page of permissions.', {
    etag,
    nextPageToken,
    selfLink,
  }),
})
