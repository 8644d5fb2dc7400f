import {
  dateTime,
  etag,
  flag,
  int64,
  kind,
  listPage,
  nextLink,
  nextPageToken,
  object,
  oldText,
  output,
  reference,
  selfLink,
  text,
} from '#lib/api/description/fields.js'
import type {SchemaMap} from '#lib/api/types.js'

export const changesSchemas = {
  Change: object('A change to a file or a shared drive.', {
    kind: kind('drive#change'),
    ...output({
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
  }),
  ChangeList: listPage('drive#changeList', 'Change', 'A page of changes, oldest first.', {
    etag,
    largestChangeId: int64('Highest number of a change so far.'),
    newStartPageToken: text('Token for the changes to come; only on the last page.'),
    nextLink,
    nextPageToken,
    selfLink,
  }),
  StartPageToken: object('The point from which on to list changes.', {
    kind: kind('drive#startPageToken'),
    ...output({startPageToken: text('Token to give to changes.list as pageToken.')}),
  }),
} as const satisfies SchemaMap
