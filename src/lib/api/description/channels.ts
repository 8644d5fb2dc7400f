import type {MethodSources} from '#lib/api/types.js'
import {flag, int64, object, ofKind, requiredBy, text, textMap} from './fields.js'
import {followScopes} from './scopes.js'

export const channels = {
  stop: {
    path: 'channels/stop',
    httpMethod: 'POST',
    description: 'Stop the notifications of a channel. Takes both its id and its resourceId.',
    request: {$ref: 'Channel'},
    scopes: followScopes,
  },
} as const satisfies MethodSources

export const channelsSchemas = ofKind(
  {
    Channel: object('A way for notifications to reach a web address.', {
      address: text(
        'HTTPS address that receives the notifications.',
        requiredBy('drive.changes.watch', 'drive.files.watch'),
      ),
      expiration: int64('When the channel ends, in milliseconds since 1970; an hour unless set.'),
      id: text(
        'ID of your choice, such as a UUID, at most 64 characters.',
        requiredBy('drive.changes.watch', 'drive.channels.stop', 'drive.files.watch'),
      ),
      params: textMap('Further settings, such as ttl: seconds until the channel ends.'),
      payload: flag('Ask for messages with a body.'),
      resourceId: text(
        'ID the service gives to what is watched; needed to stop.',
        requiredBy('drive.channels.stop'),
      ),
      resourceUri: text('Address of what is watched.'),
      token: text('Text sent along with every message, at most 256 characters.'),
      type: text('How messages are sent: web_hook, also spelt webhook.'),
    }),
  },
  'api',
)
