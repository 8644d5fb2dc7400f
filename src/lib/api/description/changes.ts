import type {MethodSources} from '#lib/api/types.js'
import {int64, query, text} from './fields.js'
import {
  allDrives,
  itemsFromAllDrives,
  itemView,
  off,
  on,
  paging,
  pathId,
  sharedDrive,
} from './parameters.js'
import {followScopes} from './scopes.js'

/** What `list` shows and `watch` waits for. */
const selection = {
  ...sharedDrive('Changes of this shared drive. It numbers its changes by itself.'),
  ...query({
    includeCorpusRemovals: off(
      'Show the file even of a removal, as long as you can still reach it.',
    ),
    includeDeleted: on('Include entries for items that were deleted or that you lost access to.'),
    includeSubscribed: on('Include changes to files outside My Drive.'),
    spaces: text('Spaces to look in, separated by commas: drive, appDataFolder, photos.'),
    startChangeId: int64('Old form of pageToken: the first change to return.', {deprecated: true}),
  }),
  ...paging('changes', {default: '100', minimum: '1'}),
  ...query({
    pageToken: text(
      'Where the page starts: nextPageToken of the page before, or the token of changes.getStartPageToken.',
    ),
  }),
  ...itemsFromAllDrives,
  ...allDrives,
  ...itemView,
}

export const changes = {
  get: {
    path: 'changes/{changeId}',
    httpMethod: 'GET',
    description:
      'Show a change. Deprecated: use changes.getStartPageToken and changes.list instead.',
    deprecated: true,
    parameters: {
      changeId: pathId('ID of the change.'),
      ...sharedDrive('Shared drive the change belongs to.'),
      ...allDrives,
    },
    response: {$ref: 'Change'},
    scopes: followScopes,
  },
  getStartPageToken: {
    path: 'changes/startPageToken',
    httpMethod: 'GET',
    description: 'Get the token from which changes.list returns all changes to come.',
    parameters: {
      ...sharedDrive('Shared drive to follow, which has tokens of its own.'),
      ...allDrives,
    },
    response: {$ref: 'StartPageToken'},
    scopes: followScopes,
  },
  list: {
    path: 'changes',
    httpMethod: 'GET',
    description: 'List the changes to your files or to a shared drive, oldest first.',
    parameters: selection,
    response: {$ref: 'ChangeList'},
    scopes: followScopes,
    supportsSubscription: true,
  },
  watch: {
    path: 'changes/watch',
    httpMethod: 'POST',
    description:
      'Have a web address notified of changes. A message says that something changed, not what.',
    parameters: selection,
    request: {$ref: 'Channel'},
    response: {$ref: 'Channel'},
    scopes: followScopes,
    supportsSubscription: true,
  },
} as const satisfies MethodSources
