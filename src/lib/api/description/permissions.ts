import type {MethodSources} from '#lib/api/types.js'
import {
  allDrives,
  dateTime,
  deprecatedFlag,
  deprecatedText,
  deprecation,
  domainAdmin,
  etag,
  exchange,
  expansiveAccess,
  flag,
  listPage,
  nextPageToken,
  object,
  off,
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
  withKind,
} from './fields.js'
import {followScopes, readPermissionScopes, shareScopes, withoutScopes} from './scopes.js'

const fileId = pathId('ID of the file, folder or shared drive.')
const permissionId = pathId('ID of the permission.')

/** Everything in `patch` and `update` except the HTTP method. */
const change = {
  parameters: {
    fileId,
    permissionId,
    ...query({
      removeExpiration: off('Remove the expiration date.'),
      transferOwnership: off(
        'Allow a transfer of ownership; required to grant the owner role. The previous owner becomes a writer.',
      ),
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
    description: 'Remove a permission from a file or shared drive.',
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
    scopes: withoutScopes(followScopes, 'drive.meet.readonly'),
  },
  insert: {
    path: 'files/{fileId}/permissions',
    httpMethod: 'POST',
    description: 'Share a file or shared drive with a user, a group, a domain or anyone.',
    parameters: {
      fileId,
      ...query({
        emailMessage: text('Message to include in the notification email.'),
        moveToNewOwnersRoot: off(
          "Move the item to the new owner's root folder; My Drive items only.",
        ),
        sendNotificationEmails: on('Send a notification email; a new owner always receives one.'),
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
    description: 'List the permissions on a file or shared drive.',
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
    description: 'Update a permission. Fields you omit are not changed.',
    ...change,
  },
  update: {
    path: 'files/{fileId}/permissions/{permissionId}',
    httpMethod: 'PUT',
    description: "Update a permission's role or expiration date, or transfer ownership.",
    ...change,
  },
} as const satisfies MethodSources

const permissionDetails = records('Sources of the access; shared drives only.', {
  additionalRoles: texts('Additional roles.'),
  inherited: flag('The access is inherited from a parent folder or the drive.'),
  inheritedFrom: text('ID of the item the access is inherited from.'),
  permissionType: text('Type of grant: file (on the item) or member (of the drive).'),
  role: text('Role: organizer, fileOrganizer, writer or reader.'),
})

const teamDrivePermissionDetails = records(
  deprecation('permissionDetails'),
  {
    additionalRoles: texts(deprecation('permissionDetails.additionalRoles'), {deprecated: true}),
    inherited: deprecatedFlag('permissionDetails.inherited'),
    inheritedFrom: deprecatedText('permissionDetails.inheritedFrom'),
    role: deprecatedText('permissionDetails.role'),
    teamDrivePermissionType: deprecatedText('permissionDetails.permissionType'),
  },
  {deprecated: true},
)

export const permissionsSchemas = withKind({
  Permission: object('Access to an item for a user, a group, a domain or anyone.', {
    additionalRoles: texts('Additional roles (commenter, for readers).'),
    expirationDate: dateTime(
      'Time the access expires, at most one year ahead; only for users and groups, and not on insert.',
    ),
    id: text('Permission ID; on insert, set either "id" or "value" (neither for type anyone).'),
    inheritedPermissionsDisabled: flag(
      'Only owners, organizers and users with a direct permission have access.',
    ),
    pendingOwner: flag('The user is a pending owner; users and My Drive only.'),
    role: text(
      'Role to grant (owner, organizer, fileOrganizer, writer or reader).',
      requiredBy('drive.permissions.insert'),
    ),
    type: text(
      'Recipient type (user, group, domain or anyone); cannot be changed later.',
      requiredBy('drive.permissions.insert'),
    ),
    value: text('Email address or domain; only on insert, never returned.'),
    view: text('Name of the view that the permission applies to, if any: published or metadata.'),
    withLink: flag('The link is required to find the item; only for types domain and anyone.'),
    ...output({
      authKey: text('No longer used.', {deprecated: true}),
      deleted: flag('The account no longer exists; users and groups only.'),
      domain: text('Domain of the user, group or domain.'),
      emailAddress: text('Email address of the user or group.'),
      etag,
      name: text('Display name of the user, group or domain.'),
      permissionDetails,
      photoLink: text("URL of the user's picture, if any."),
      selfLink,
      teamDrivePermissionDetails,
    }),
  }),
  PermissionId: record('The permission ID for an email address.', {
    id: text('Permission ID of the user or group.'),
  }),
  PermissionList: listPage('Permission', 'A page of permissions.', {
    etag,
    nextPageToken,
    selfLink,
  }),
})
