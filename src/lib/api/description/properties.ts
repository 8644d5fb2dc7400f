import type {MethodSources} from '#lib/api/types.js'
import {
  etag,
  exchange,
  fileId,
  listPage,
  object,
  ofKind,
  output,
  pathId,
  query,
  requiredBy,
  selfLink,
  text,
} from './fields.js'
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
    ...exchange('Property'),
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
    ...exchange('Property'),
    scopes: writeMetadataScopes,
  },
  update: {
    ...oneProperty,
    httpMethod: 'PUT',
    description: 'Change the value of a custom property.',
    ...exchange('Property'),
    scopes: writeMetadataScopes,
  },
} as const satisfies MethodSources

export const propertiesSchemas = ofKind({
  Property: object(
    'A custom property of a file; at most 100 a file, of which 30 public and 30 private for each app.',
    {
      key: text(
        'Key of the property; with the value at most 124 bytes.',
        requiredBy('drive.properties.insert'),
      ),
      value: text('Value of the property.'),
      visibility: text('PRIVATE, which only your app sees and is the default, or PUBLIC.'),
      ...output({etag, selfLink}),
    },
  ),
  PropertyList: listPage('Property', 'All custom properties of a file that you can see.', {
    etag,
    selfLink,
  }),
})
