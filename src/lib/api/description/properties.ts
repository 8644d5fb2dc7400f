import type {MethodSources} from '#lib/api/types.js'
import {query, text} from './fields.js'
import {fileId, pathId} from './parameters.js'
import {readScopes, writeMetadataScopes} from './scopes.js'

/** A property is found by its key within a visibility: one key may exist in both. */
const oneProperty = {
  path: 'files/{fileId}/properties/{propertyKey}',
  parameters: {
    fileId,
    propertyKey: pathId('Key of the property.'),
    ...query({
      visibility: text('Which property of that key: private (your app only) or public.', {
        default: 'private',
      }),
    }),
  },
} as const

const allProperties = {
  path: 'files/{fileId}/properties',
  parameters: {fileId},
} as const

export const properties = {
  delete: {
    ...oneProperty,
    httpMethod: 'DELETE',
    description: 'Delete a custom property of a file.',
    scopes: writeMetadataScopes,
  },
  get: {
    ...oneProperty,
    httpMethod: 'GET',
    description: 'Show a custom property of a file.',
    response: {$ref: 'Property'},
    scopes: readScopes,
  },
  insert: {
    ...allProperties,
    httpMethod: 'POST',
    description: 'Add a custom property to a file, or replace the one of the same key.',
    request: {$ref: 'Property'},
    response: {$ref: 'Property'},
    scopes: writeMetadataScopes,
  },
  list: {
    ...allProperties,
    httpMethod: 'GET',
    description: 'List the custom properties of a file.',
    response: {$ref: 'PropertyList'},
    scopes: readScopes,
  },
  patch: {
    ...oneProperty,
    httpMethod: 'PATCH',
    description: 'Change a custom property. Fields you do not send stay as they are.',
    request: {$ref: 'Property'},
    response: {$ref: 'Property'},
    scopes: writeMetadataScopes,
  },
  update: {
    ...oneProperty,
    httpMethod: 'PUT',
    description: 'Change the value of a custom property.',
    request: {$ref: 'Property'},
    response: {$ref: 'Property'},
    scopes: writeMetadataScopes,
  },
} as const satisfies MethodSources
