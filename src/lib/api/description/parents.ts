import type {MethodSources} from '#lib/api/types.js'
import {allDrives, fileId, pathId, singleParent} from './parameters.js'
import {readScopes, shareScopes, writeScopes} from './scopes.js'

const parentId = pathId('ID of the parent folder.')

export const parents = {
  delete: {
    path: 'files/{fileId}/parents/{parentId}',
    httpMethod: 'DELETE',
    description:
      "Take a file out of a parent folder. Without a parent it goes to its owner's root.",
    parameters: {fileId, parentId, ...singleParent},
    scopes: shareScopes,
  },
  get: {
    path: 'files/{fileId}/parents/{parentId}',
    httpMethod: 'GET',
    description: 'Show the link from a file to a parent folder.',
    parameters: {fileId, parentId},
    response: {$ref: 'ParentReference'},
    scopes: readScopes,
  },
  insert: {
    path: 'files/{fileId}/parents',
    httpMethod: 'POST',
    description: 'Give a file a parent folder.',
    parameters: {fileId, ...allDrives, ...singleParent},
    request: {$ref: 'ParentReference'},
    response: {$ref: 'ParentReference'},
    scopes: writeScopes,
  },
  list: {
    path: 'files/{fileId}/parents',
    httpMethod: 'GET',
    description: 'List the parent folders of a file.',
    parameters: {fileId},
    response: {$ref: 'ParentList'},
    scopes: readScopes,
  },
} as const satisfies MethodSources
