import type {MethodSources} from '#lib/api/types.js'
import {fileId, paging, pathId} from './parameters.js'
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
    request: {$ref: 'Revision'},
    response: {$ref: 'Revision'},
    scopes: writeScopes,
  },
  update: {
    ...oneRevision,
    httpMethod: 'PUT',
    description: 'Pin or publish a revision.',
    request: {$ref: 'Revision'},
    response: {$ref: 'Revision'},
    scopes: writeScopes,
  },
} as const satisfies MethodSources
