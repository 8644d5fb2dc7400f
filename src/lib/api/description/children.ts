import type {ResourceSource} from '../types.js'
import {allDrives, paging, pathId, search, singleParent} from './parameters.js'
import {readScopes, shareScopes, writeScopes} from './scopes.js'

const folderId = pathId('ID of the folder.')
const childId = pathId('ID of the file or folder in it.')

export const children = {
  methods: {
    delete: {
      path: 'files/{folderId}/children/{childId}',
      httpMethod: 'DELETE',
      description: 'Take a file out of a folder. The file itself is not deleted.',
      parameters: {folderId, childId, ...singleParent},
      parameterOrder: ['folderId', 'childId'],
      scopes: shareScopes,
    },
    get: {
      path: 'files/{folderId}/children/{childId}',
      httpMethod: 'GET',
      description: 'Show the link from a folder to a file in it.',
      parameters: {folderId, childId},
      parameterOrder: ['folderId', 'childId'],
      response: {$ref: 'ChildReference'},
      scopes: readScopes,
    },
    insert: {
      path: 'files/{folderId}/children',
      httpMethod: 'POST',
      description: 'Put a file into a folder.',
      parameters: {folderId, ...allDrives, ...singleParent},
      parameterOrder: ['folderId'],
      request: {$ref: 'ChildReference'},
      response: {$ref: 'ChildReference'},
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
      parameterOrder: ['folderId'],
      response: {$ref: 'ChildList'},
      scopes: readScopes,
    },
  },
} as const satisfies ResourceSource
