import type {MethodSources} from '#lib/api/types.js'
import {flag, int64, object, requiredBy, text, textMap, withKind} from './fields.js'
import {followScopes} from './scopes.js'

export const channels = {
  stop: {
    path: 'channels/stop',
    httpMethod: 'POST',
    description:
      'Stop sending notifications to a channel. Requires the id and the resourceId of the channel.',
    request: {$ref: 'Channel'},
    scopes: followScopes,
  },
} as const satisfies MethodSources

export const channelsSchemas = withKind(
  {
    Channel: object('A channel that delivers notifications to a URL.', {
      address: text(
        'HTTPS URL that receives the notifications.',
        requiredBy('drive.changes.watch', 'drive.files.watch'),
      ),
      expiration: int64(
        'Expiration time in Unix milliseconds (default for a new channel: one hour from now).',
      ),
      id: text(
        'ID for the channel, such as a UUID; at most 64 characters.',
        requiredBy('drive.changes.watch', 'drive.channels.stop', 'drive.files.watch'),
      ),
      params: textMap('Other settings, such as ttl: seconds until the channel expires.'),
      payload: flag('Send notifications with a body.'),
      resourceId: text(
        'ID of the watched resource, assigned by the service; required to stop the channel.',
        requiredBy('drive.channels.stop'),
      ),
      resourceUri: text('URL of the watched resource.'),
      token: text('Text to include in each notification; at most 256 characters.'),
      type: text('Delivery method (web_hook, or its alias webhook).'),
    }),
  },
  'api',
)
