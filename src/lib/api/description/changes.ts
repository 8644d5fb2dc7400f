import type {MethodSources} from '#lib/api/types.js'
import {
  allDrives,
  dateTime,
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
  ofKind,
  oldText,
  on,
  paging,
  pathId,
  query,
  record,
  reference,
  selfLink,
  sharedDrive,
  text,
} from './fields.js'
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
    ...exchange('Channel'),
    scopes: followScopes,
    supportsSubscription: true,
  },
} as const satisfies MethodSources

export const changesSchemas = ofKind({
  Change: record('A change to a file or a shared drive.', {
    changeType: text('What changed: file or drive.'),
    deleted: flag('The item was deleted, or you lost access to it.'),
    drive: reference('Drive', 'The shared drive as it is now, while you are a member.'),
    driveId: text('ID of the shared drive.'),
    file: reference('File', 'The file as it is now; absent when deleted.'),
    fileId: text('ID of the file.'),
    id: int64('Number of the change; later changes have higher ones.'),
    modificationDate: dateTime('When the change was made.'),
    selfLink,
    teamDrive: {...reference('TeamDrive', 'Old name of drive.'), deprecated: true},
    teamDriveId: oldText('driveId'),
    type: oldText('changeType'),
  }),
  ChangeList: listPage('Change', 'A page of changes, oldest first.', {
    etag,
    largestChangeId: int64('Highest number of a change so far.'),
    newStartPageToken: text('Token for the changes to come; only on the last page.'),
    nextLink,
    nextPageToken,
    selfLink,
  }),
  StartPageToken: record('The point from which on to list changes.', {
    startPageToken: text('Token to give to changes.list as pageToken.'),
  }),
})
