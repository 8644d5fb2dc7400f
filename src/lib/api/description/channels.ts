import type {MethodSources} from '#lib/api/types.js'
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
