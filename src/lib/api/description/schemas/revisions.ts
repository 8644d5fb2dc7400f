import {
  dateTime,
  etag,
  flag,
  int64,
  kind,
  listPage,
  nextPageToken,
  object,
  output,
  reference,
  selfLink,
  text,
  textMap,
} from '#lib/api/description/fields.js'
import type {SchemaMap} from '#lib/api/types.js'

export const revisionsSchemas = {
  Revision: object("One version of a file's content.", {
    kind: kind('drive#revision'),
    modifiedDate: dateTime('When the revision was last changed.'),
    pinned: flag(
      'Keep the revision for good; others go 30 days after newer content. Binary files only.',
    ),
    publishAuto: flag('Later revisions are published by themselves; editor documents only.'),
    published: flag('The revision is published; editor documents only.'),
    publishedOutsideDomain: flag('People outside the domain see it too; editor documents only.'),
    ...output({
      downloadUrl: text('Address of the content, valid for a short time; binary files only.'),
      etag,
      exportLinks: textMap('Download addresses by media type; editor documents only.'),
      fileSize: int64('Size in bytes; binary files only.'),
      id: text('ID of the revision.'),
      lastModifyingUser: reference('User', 'Who changed the revision last.'),
      lastModifyingUserName: text('Name of the user who changed the revision last.'),
      md5Checksum: text('MD5 of the content in hexadecimal; binary files only.'),
      mimeType: text('Media type of the content.'),
      originalFilename: text('File name at the time of the upload; binary files only.'),
      publishedLink: text('Address of the published revision; editor documents only.'),
      selfLink,
    }),
  }),
  RevisionList: listPage('drive#revisionList', 'Revision', 'A page of revisions.', {
    etag,
    nextPageToken,
    selfLink,
  }),
} as const satisfies SchemaMap
