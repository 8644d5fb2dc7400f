import type {MethodSources} from '#lib/api/types.js'
import {int64, query} from './fields.js'
import {on} from './parameters.js'
import {scopes} from './scopes.js'

export const about = {
  get: {
    path: 'about',
    httpMethod: 'GET',
    description: 'Show who you are, how much storage you use and what the service can do.',
    parameters: query({
      includeSubscribed: on('Also count changes to files outside My Drive.'),
      maxChangeIdCount: int64('Count at most this many remaining changes.', {default: '1'}),
      startChangeId: int64('Count the remaining changes from this change on.'),
    }),
    response: {$ref: 'About'},
    scopes: scopes(
      'drive',
      'drive.appdata',
      'drive.file',
      'drive.metadata',
      'drive.metadata.readonly',
      'drive.photos.readonly',
      'drive.readonly',
    ),
  },
} as const satisfies MethodSources
