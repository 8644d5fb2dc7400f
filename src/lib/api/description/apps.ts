import type {MethodSources} from '#lib/api/types.js'
import {query, text} from './fields.js'
import {pathId} from './parameters.js'
import {scopes} from './scopes.js'

export const apps = {
  get: {
    path: 'apps/{appId}',
    httpMethod: 'GET',
    description: 'Show an app.',
    parameters: {appId: pathId('ID of the app.')},
    response: {$ref: 'App'},
    scopes: scopes(
      'drive',
      'drive.appdata',
      'drive.apps.readonly',
      'drive.file',
      'drive.metadata',
      'drive.metadata.readonly',
      'drive.readonly',
    ),
  },
  list: {
    path: 'apps',
    httpMethod: 'GET',
    description: 'List the apps you have installed.',
    parameters: query({
      appFilterExtensions: text(
        'Only apps for these file extensions (or for appFilterMimeTypes), separated by commas.',
        {default: ''},
      ),
      appFilterMimeTypes: text(
        'Only apps for these media types (or for appFilterExtensions), separated by commas.',
        {default: ''},
      ),
      languageCode: text('Language of the texts, as a BCP 47 code such as "de".'),
    }),
    response: {$ref: 'AppList'},
    scopes: scopes('drive.apps.readonly'),
  },
} as const satisfies MethodSources
