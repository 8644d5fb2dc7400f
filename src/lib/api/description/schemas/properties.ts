import {etag, kind, listPage, object, output, selfLink, text} from '#lib/api/description/fields.js'
import type {SchemaMap} from '#lib/api/types.js'

export const propertiesSchemas = {
  Property: object(
    'A custom property of a file; at most 100 a file, of which 30 public and 30 private for each app.',
    {
      kind: kind('drive#property'),
      key: text('Key of the property; with the value at most 124 bytes.', {
        annotations: {required: ['drive.properties.insert']},
      }),
      value: text('Value of the property.'),
      visibility: text('PRIVATE, which only your app sees and is the default, or PUBLIC.'),
      ...output({etag, selfLink}),
    },
  ),
  PropertyList: listPage(
    'drive#propertyList',
    'Property',
    'All custom properties of a file that you can see.',
    {
      etag,
      selfLink,
    },
  ),
} as const satisfies SchemaMap
