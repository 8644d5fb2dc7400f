import type {MethodSources} from '#lib/api/types.js'
import {query, text} from './fields.js'
import {domainAdmin, off, paging, pathId} from './parameters.js'
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
    request: {$ref: 'Drive'},
    response: {$ref: 'Drive'},
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
    request: {$ref: 'Drive'},
    response: {$ref: 'Drive'},
    scopes: scopes('drive'),
  },
} as const satisfies MethodSources
