import {flag, kind, object, output, text} from '#lib/api/description/fields.js'
import type {SchemaMap} from '#lib/api/types.js'

export const usersSchemas = {
  User: object('A person who uses the service.', {
    kind: kind('drive#user'),
    ...output({
      displayName: text('Name to show.'),
      emailAddress: text('Email address, if the user lets you see it.'),
      isAuthenticatedUser: flag('This is you.'),
      permissionId: text('ID of the user in permissions.'),
      picture: object('Profile picture.', output({url: text('Address of the picture.')})),
    }),
  }),
} as const satisfies SchemaMap
