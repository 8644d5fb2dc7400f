import {flag, int64, kind, object, text, textMap} from '#lib/api/description/fields.js'
import type {SchemaMap} from '#lib/api/types.js'

export const channelsSchemas = {
  Channel: object('A way for notifications to reach a web address.', {
    kind: kind('api#channel'),
    address: text('HTTPS address that receives the notifications.', {
      annotations: {required: ['drive.changes.watch', 'drive.files.watch']},
    }),
    expiration: int64('When the channel ends, in milliseconds since 1970; an hour unless set.'),
    id: text('ID of your choice, such as a UUID, at most 64 characters.', {
      annotations: {
        required: ['drive.changes.watch', 'drive.channels.stop', 'drive.files.watch'],
      },
    }),
    params: textMap('Further settings, such as ttl: seconds until the channel ends.'),
    payload: flag('Ask for messages with a body.'),
    resourceId: text('ID the service gives to what is watched; needed to stop.', {
      annotations: {required: ['drive.channels.stop']},
    }),
    resourceUri: text('Address of what is watched.'),
    token: text('Text sent along with every message, at most 256 characters.'),
    type: text('How messages are sent: web_hook, also spelt webhook.'),
  }),
} as const satisfies SchemaMap
