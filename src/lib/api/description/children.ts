import type {MethodSources} from '#lib/api/types.js'
import {
  allDrives,
  etag,
  exchange,
  listPage,
  nextLink,
  nextPageToken,
  object,
  output,
  paging,
  pathId,
  requiredBy,
  search,
  selfLink,
  singleParent,
  text,
  withKind,
} from './fields.js'
import {readScopes, shareScopes, writeScopes} from './scopes.js'

const folderId = pathId('ID of the folder.')
const childId = pathId('ID of the item in the folder.')

export const children = {
  delete: {
    path: 'files/{folderId}/children/{childId}',
    httpMethod: 'DELETE',
    description: 'Remove a file from a folder. The file itself is not deleted.',
    parameters: {folderId, childId, ...singleParent},
    scopes: shareScopes,
  },
  get: {
    path: 'files/{folderId}/children/{childId}',
    httpMethod: 'GET',
    description: "Show a file's entry in a folder.",
    parameters: {folderId, childId},
    response: {$ref: 'ChildReference'},
    scopes: readScopes,
  },
  insert: {
    path: 'files/{folderId}/children',
    httpMethod: 'POST',
    description: 'Add a file to a folder. A file in another folder is moved.',
    parameters: {folderId, ...allDrives, ...singleParent},
    ...exchange('ChildReference'),
    scopes: writeScopes,
  },
  list: {
    path: 'files/{folderId}/children',
    httpMethod: 'GET',
    description: 'List the items in a folder, including trashed items.',
    parameters: {
      folderId,
      ...search,
      ...paging('children', {default: '100', minimum: '0'}),
    },
    response: {$ref: 'ChildList'},
    scopes: readScopes,
  },
} as const satisfies MethodSources

export const childrenSchemas = withKind({
  ChildList: listPage('ChildReference', 'A page of the files in a folder.', {
    etag,
    nextLink,
    nextPageToken,
    selfLink,
  }),
  ChildReference: object("A file's entry in a folder.", {
    id: text('ID of the child file or folder.', requiredBy('drive.children.insert')),
    ...output({childLink: text('URL of the file in the folder.'), selfLink}),
  }),
})
