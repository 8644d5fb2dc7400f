import type {MethodSources} from '#lib/api/types.js'
import {
  allDrives,
  dateTime,
  deprecatedText,
  etag,
  exchange,
  flag,
  int64,
  itemsFromAllDrives,
  itemView,
  listPage,
  nextLink,
  nextPageToken,
  off,
  on,
  paging,
  pathId,
  query,
  record,
  reference,
  selfLink,
  sharedDrive,
  text,
  withKind,
} from './fields.js'
import {followScopes} from './scopes.js'

/** Parameters shared by `list` and `watch`. */
const selection = {
  ...sharedDrive('Shared drive whose changes to list. It has its own change IDs and tokens.'),
  ...query({
    includeCorpusRemovals: off('Include the file in a removal entry if you can still access it.'),
    includeDeleted: on('Include entries for items you deleted or lost access to.'),
    includeSubscribed: on('Include changes to files outside My Drive.'),
    spaces: text('Spaces to list, separated by commas (drive, appDataFolder, photos).'),
    startChangeId: int64('Deprecated: use pageToken. ID of the first change to return.', {
      deprecated: true,
    }),
  }),
  ...paging('changes', {default: '100', minimum: '1'}),
  ...query({
    pageToken: text(
      'Token of the page to return: nextPageToken of the previous page, or startPageToken of changes.getStartPageToken.',
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
    description: 'Show a change. Deprecated: use changes.getStartPageToken and changes.list.',
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
    description: 'Get a token that makes changes.list return all later changes.',
    parameters: {
      ...sharedDrive('Shared drive to get a token for.'),
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
      'Send a notification to a URL when something changes. Notifications do not say what changed.',
    parameters: selection,
    ...exchange('Channel'),
    scopes: followScopes,
    supportsSubscription: true,
  },
} as const satisfies MethodSources

export const changesSchemas = withKind({
  Change: record('A change to a file or a shared drive.', {
    changeType: text('What changed: file or drive.'),
    deleted: flag('The item was deleted, or you lost access to it.'),
    drive: reference('Drive', 'Current state of the shared drive, if you are a member.'),
    driveId: text('ID of the shared drive.'),
    file: reference('File', 'Current state of the file; absent when deleted.'),
    fileId: text('ID of the file.'),
    id: int64('ID of the change; IDs increase over time.'),
    modificationDate: dateTime('Time of the change.'),
    selfLink,
    teamDrive: {...reference('TeamDrive', 'Deprecated: use drive.'), deprecated: true},
    teamDriveId: deprecatedText('driveId'),
    type: deprecatedText('changeType'),
  }),
  ChangeList: listPage('Change', 'A page of changes, oldest first.', {
    etag,
    largestChangeId: int64('ID of the latest change.'),
    newStartPageToken: text('Token for later changes; only on the last page.'),
    nextLink,
    nextPageToken,
    selfLink,
  }),
  StartPageToken: record('A starting point for listing changes.', {
    startPageToken: text('Token to pass to changes.list as pageToken.'),
  }),
})
