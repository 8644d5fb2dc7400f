import type {MethodSources} from '#lib/api/types.js'
import {query, text} from './fields.js'
import {
  allDrives,
  domainAdmin,
  expansiveAccess,
  off,
  on,
  paging,
  pathId,
  permissionsForView,
  singleParent,
} from './parameters.js'
import {readPermissionScopes, scopes, shareScopes} from './scopes.js'

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
  request: {$ref: 'Permission'},
  response: {$ref: 'Permission'},
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
    scopes: scopes(
      'drive',
      'drive.appdata',
      'drive.apps.readonly',
      'drive.file',
      'drive.metadata',
      'drive.metadata.readonly',
      'drive.photos.readonly',
      'drive.readonly',
    ),
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
    request: {$ref: 'Permission'},
    response: {$ref: 'Permission'},
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
