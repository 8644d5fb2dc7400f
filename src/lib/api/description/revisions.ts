import type {MethodSources} from '#lib/api/types.js'
import {
  contentFileId,
  dateTime,
  etag,
  exchange,
  flag,
  int64,
  listPage,
  nextPageToken,
  object,
  output,
  paging,
  pathId,
  reference,
  selfLink,
  text,
  textMap,
  withKind,
} from './fields.js'
import {readScopes, writeScopes} from './scopes.js'

const oneRevision = {
  path: 'files/{fileId}/revisions/{revisionId}',
  parameters: {fileId: contentFileId, revisionId: pathId('ID of the revision.')},
} as const

export const revisions = {
  delete: {
    ...oneRevision,
    httpMethod: 'DELETE',
    description:
      'Permanently delete a revision of a binary file. The last remaining revision of a file cannot be deleted.',
    scopes: writeScopes,
  },
  get: {
    ...oneRevision,
    httpMethod: 'GET',
    description: 'Show a revision of a file.',
    response: {$ref: 'Revision'},
    scopes: readScopes,
  },
  list: {
    path: 'files/{fileId}/revisions',
    httpMethod: 'GET',
    description: 'List the revisions of a file. The oldest revisions may be missing.',
    parameters: {
      fileId: contentFileId,
      ...paging('revisions', {default: '200', minimum: '1', maximum: '1000'}),
    },
    response: {$ref: 'RevisionList'},
    scopes: readScopes,
  },
  patch: {
    ...oneRevision,
    httpMethod: 'PATCH',
    description: 'Pin or publish a revision. Fields you omit are not changed.',
    ...exchange('Revision'),
    scopes: writeScopes,
  },
  update: {
    ...oneRevision,
    httpMethod: 'PUT',
    description: 'Pin or publish a revision.',
    ...exchange('Revision'),
    scopes: writeScopes,
  },
} as const satisfies MethodSources

export const revisionsSchemas = withKind({
  Revision: object("One version of a file's content.", {
    modifiedDate: dateTime('Time of the last change to the revision.'),
    pinned: flag(
      'Keep the revision permanently. Unpinned revisions are deleted 30 days after newer content was uploaded. Binary files only.',
    ),
    publishAuto: flag('Publish later revisions automatically; editor documents only.'),
    published: flag('Publish the revision; editor documents only.'),
    publishedOutsideDomain: flag('Publish the revision outside the domain; editor documents only.'),
    ...output({
      downloadUrl: text('Short-lived download URL; binary files only.'),
      etag,
      exportLinks: textMap('Download URLs by media type; editor documents only.'),
      fileSize: int64('Size in bytes; binary files only.'),
      id: text('ID of the revision.'),
      lastModifyingUser: reference('User', 'User who last changed the revision.'),
      lastModifyingUserName: text('Name of the user who last changed the revision.'),
      md5Checksum: text('MD5 of the content in hexadecimal; binary files only.'),
      mimeType: text('Media type of the content.'),
      originalFilename: text('File name at the time of the upload; binary files only.'),
      publishedLink: text('URL of the published revision; editor documents only.'),
      selfLink,
    }),
  }),
  RevisionList: listPage('Revision', 'A page of revisions.', {
    etag,
    nextPageToken,
    selfLink,
  }),
})
