import type {MethodSources} from '#lib/api/types.js'
import {
  dateTime,
  etag,
  exchange,
  fileId,
  flag,
  int64,
  listPage,
  nextPageToken,
  object,
  ofKind,
  output,
  paging,
  pathId,
  reference,
  selfLink,
  text,
  textMap,
} from './fields.js'
import {readScopes, writeScopes} from './scopes.js'

const oneRevision = {
  path: 'files/{fileId}/revisions/{revisionId}',
  parameters: {fileId, revisionId: pathId('ID of the revision.')},
} as const

export const revisions = {
  delete: {
    ...oneRevision,
    httpMethod: 'DELETE',
    description:
      'Delete an old version of a binary file for good. The last one left cannot be deleted.',
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
    description: 'List the revisions of a file. The oldest may be missing.',
    parameters: {
      fileId,
      ...paging('revisions', {default: '200', minimum: '1', maximum: '1000'}),
    },
    response: {$ref: 'RevisionList'},
    scopes: readScopes,
  },
  patch: {
    ...oneRevision,
    httpMethod: 'PATCH',
    description: 'Pin or publish a revision. Fields you do not send stay as they are.',
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

export const revisionsSchemas = ofKind({
  Revision: object("One version of a file's content.", {
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
  RevisionList: listPage('Revision', 'A page of revisions.', {
    etag,
    nextPageToken,
    selfLink,
  }),
})
