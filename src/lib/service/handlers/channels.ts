import type {Call, HandlersOf} from '#lib/service/call.js'
import {
  CHANNEL_LIFETIMES,
  type ChannelWish,
  channelWish,
  resourceIdOf,
} from '#lib/service/changes/channels.js'
import {readFollowing} from '#lib/service/changes/following.js'
import {badRequest, notFound, required} from '#lib/service/errors.js'
import {channelRecord} from '#lib/service/records/change.js'
import {requestLink} from '#lib/service/records/common.js'
import {
  addChannel,
  enqueueMessage,
  type Followed,
  isChannelOpen,
  type NewChannel,
  removeChannel,
} from '#lib/service/store/channels.js'
import {openFile} from '#lib/service/store/sharing/access.js'

/** Channels (reference: protocols.md, section 8). What is sent over them is in `changes/delivery.ts`. */
export const channelsHandlers: HandlersOf<'channels.stop' | 'changes.watch' | 'files.watch'> = {
  'changes.watch'(call) {
    const {line, view, removals, spaces} = readFollowing(call)
    return open(call, CHANNEL_LIFETIMES['changes.watch'], {
      resource_id: resourceIdOf('changes', line),
      resource_uri: requestLink(call, 'changes'),
      audience: line,
      file_id: null,
      params: JSON.stringify({view, removals, spaces} satisfies Followed),
    })
  },

  'files.watch'(call) {
    const {id} = openFile(call, call.params.fileId)
    return open(call, CHANNEL_LIFETIMES['files.watch'], {
      resource_id: resourceIdOf('file', id),
      resource_uri: requestLink(call, 'files', id),
      audience: null,
      file_id: id,
      params: '{}',
    })
  },

  'channels.stop'({store, user, clientId = '', body}) {
    const {id, resourceId} = body as Partial<Record<'id' | 'resourceId', string>>
    if (!id) throw required('id')
    if (!resourceId) throw required('resourceId')
    const owner = {user_id: user.id, client_id: clientId}
    if (!removeChannel(store, {id, resource_id: resourceId, ...owner})) {
      throw notFound('Channel', id, 'id')
    }
    return undefined
  },
}

/** Opens a channel for `longest` seconds at most and puts its first message, `sync`, in the queue. IDs are unique within an app. */
function open(
  call: Call<'changes.watch' | 'files.watch'>,
  longest: number,
  resource: Omit<NewChannel, keyof ChannelWish | 'user_id' | 'client_id'>,
) {
  const {store, user, clientId = '', body, now} = call
  const wish = channelWish(body, longest, now)
  if (isChannelOpen(store, clientId, wish.id, now)) {
    throw badRequest(`Channel id ${wish.id} not unique`, 'id', 'channelIdNotUnique')
  }
  const channel = addChannel(store, {...wish, ...resource, user_id: user.id, client_id: clientId})
  enqueueMessage(store, now, channel.key, 'sync')
  return channelRecord(channel)
}
