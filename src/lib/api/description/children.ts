import type {MethodSources} from '#lib/api/types.js'
import {
  allDrives,
  etag,
  exchange,
  listPage,
  nextLink,
  nextPageToken,
  object,
  ofKind,
  output,
  paging,
  pathId,
  requiredBy,
  search,
  selfLink,
  singleParent,
  text,
} from './fields.js'
import {readScopes, shareScopes, writeScopes} from './scopes.js'

const folderId = pathId('ID of the folder.')
const childId = pathId('ID of the file or folder in it.')

export const children = {
  delete: {
    path: 'files/{folderId}/children/{childId}',
    httpMethod: 'DELETE',
    description: 'Take a file out of a folder. The file itself is not deleted.',
    parameters: {folderId, childId, ...singleParent},
    scopes: shareScopes,
  },
  get: {
    path: 'files/{folderId}/children/{childId}',
    httpMethod: 'GET',
    description: 'Show the link from a folder to a file in it.',
    parameters: {folderId, childId},
    response: {$ref: 'ChildReference'},
    scopes: readScopes,
  },
  insert: {
    path: 'files/{folderId}/children',
    httpMethod: 'POST',
    description: 'Put a file into a folder.',
    parameters: {folderId, ...allDrives, ...singleParent},
    ...exchange('ChildReference'),
    scopes: writeScopes,
  },
  list: {
    path: 'files/{folderId}/children',
    httpMethod: 'GET',
    description: 'List what is in a folder, including trashed files.',
    parameters: {
      folderId,
      ...search,
      ...paging('children', {default: '100', minimum: '0'}),
    },
    response: {$ref: 'ChildList'},
    scopes: readScopes,
  },
} as const satisfies MethodSources

export const childrenSchemas = ofKind({
  ChildList: listPage('ChildReference', 'A page of the files in a folder.', {
    etag,
    nextLink,
    nextPageToken,
    selfLink,
  }),
  ChildReference: object('A link from a folder to a file in it.', {
    id: text('ID of the file in the folder.', requiredBy('drive.children.insert')),
    ...output({childLink: text('Address of the file in the folder.'), selfLink}),
  }),
})
