import type {MethodSources} from '#lib/api/types.js'
import {
  etag,
  exchange,
  fileId,
  listPage,
  object,
  output,
  pathId,
  query,
  requiredBy,
  selfLink,
  text,
  withKind,
} from './fields.js'
import {readScopes, writeMetadataScopes} from './scopes.js'

/** A property is identified by key and visibility: the same key can exist in both. */
const oneProperty = {
  path: 'files/{fileId}/properties/{propertyKey}',
  parameters: {
    fileId,
    propertyKey: pathId('Key of the property.'),
    ...query({
      visibility: text(
        'Current visibility of the property, private or public, in upper or lower case.',
        {default: 'private'},
      ),
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
    description: 'Add a custom property to a file, or replace the one with the same key.',
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
    description: 'Update a custom property. Fields you omit are not changed.',
    ...exchange('Property'),
    scopes: writeMetadataScopes,
  },
  update: {
    ...oneProperty,
    httpMethod: 'PUT',
    description: 'Update the value of a custom property.',
    ...exchange('Property'),
    scopes: writeMetadataScopes,
  },
} as const satisfies MethodSources

export const propertiesSchemas = withKind({
  Property: object(
    'A custom property of a file; at most 100 per file, with at most 30 public and 30 private ones per app.',
    {
      key: text(
        'Key of the property; key and value together have at most 124 bytes.',
        requiredBy('drive.properties.insert'),
      ),
      value: text('Value of the property.'),
      visibility: text(
        'Visibility to set: PUBLIC, or PRIVATE for your app only. New properties are PRIVATE by default.',
      ),
      ...output({etag, selfLink}),
    },
  ),
  PropertyList: listPage('Property', 'All custom properties of a file that you can see.', {
    etag,
    selfLink,
  }),
})
