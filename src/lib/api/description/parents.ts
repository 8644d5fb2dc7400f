import type {MethodSources} from '#lib/api/types.js'
import {
  allDrives,
  etag,
  exchange,
  fileId,
  flag,
  listPage,
  object,
  ofKind,
  output,
  pathId,
  requiredBy,
  selfLink,
  singleParent,
  text,
} from './fields.js'
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

export const parentsSchemas = ofKind({
  ParentList: listPage('ParentReference', 'All parent folders of a file.', {
    etag,
    selfLink,
  }),
  ParentReference: object('A link from a file to the folder it is in.', {
    id: text(
      'ID of the folder; root stands for the top of My Drive.',
      requiredBy('drive.parents.insert'),
    ),
    ...output({
      isRoot: flag('The folder is the top of My Drive.'),
      parentLink: text('Address of the folder.'),
      selfLink,
    }),
  }),
})
