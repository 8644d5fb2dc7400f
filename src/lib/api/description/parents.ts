import type {MethodSources} from '#lib/api/types.js'
import {
  allDrives,
  etag,
  exchange,
  fileId,
  flag,
  listPage,
  object,
  output,
  pathId,
  requiredBy,
  selfLink,
  singleParent,
  text,
  withKind,
} from './fields.js'
import {readScopes, shareScopes, writeScopes} from './scopes.js'

const parentId = pathId('ID of the parent folder.')

export const parents = {
  delete: {
    path: 'files/{fileId}/parents/{parentId}',
    httpMethod: 'DELETE',
    description:
      "Remove a file from a parent folder. A file without a parent moves to its owner's root folder.",
    parameters: {fileId, parentId, ...singleParent},
    scopes: shareScopes,
  },
  get: {
    path: 'files/{fileId}/parents/{parentId}',
    httpMethod: 'GET',
    description: 'Show a parent folder of a file.',
    parameters: {fileId, parentId},
    response: {$ref: 'ParentReference'},
    scopes: readScopes,
  },
  insert: {
    path: 'files/{fileId}/parents',
    httpMethod: 'POST',
    description: 'Set the parent folder of a file. The new parent replaces the previous one.',
    parameters: {fileId, ...allDrives, ...singleParent},
    ...exchange('ParentReference'),
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

export const parentsSchemas = withKind({
  ParentList: listPage('ParentReference', 'All parent folders of a file.', {
    etag,
    selfLink,
  }),
  ParentReference: object("A reference to a file's parent folder.", {
    id: text(
      'ID of the folder, or "root" for the root of My Drive.',
      requiredBy('drive.parents.insert'),
    ),
    ...output({
      isRoot: flag('The folder is the root of My Drive.'),
      parentLink: text('URL of the folder.'),
      selfLink,
    }),
  }),
})
