import type {Call, HandlersOf} from '../call.js'
import {channelWish, LIFETIMES, resourceIdOf} from '../changes/channels.js'
import {readFollowing} from '../changes/following.js'
import {badRequest, notFound, required} from '../errors.js'
import {channelRecord} from '../records/channel.js'
import {requestLink} from '../records/common.js'
import {
  addChannel,
  type Followed,
  isChannelOpen,
  type NewChannel,
  removeChannel,
} from '../store/channels.js'
import {openFile} from '../store/sharing/access.js'
import {enqueueMessage} from '../store/messages.js'

/** Channels (reference: protocols.md, section 8). What is sent over them is in `changes/delivery.ts`. */
export const channelsHandlers: HandlersOf<'channels.stop' | 'changes.watch' | 'files.watch'> = {
  'changes.watch'(call) {
    const {line, view, removals, spaces} = readFollowing(call)
    const params: Followed = {view, removals, spaces}
    return open(call, LIFETIMES['changes.watch'], {
      resourceId: resourceIdOf('changes', line),
      resourceUri: requestLink(call, 'changes'),
      audience: line,
      fileId: null,
      params,
    })
  },

  'files.watch'(call) {
    const {id} = openFile(call, call.params.fileId)
    return open(call, LIFETIMES['files.watch'], {
      resourceId: resourceIdOf('file', id),
      resourceUri: requestLink(call, 'files', id),
      audience: null,
      fileId: id,
      params: {},
    })
  },

  'channels.stop'({store, user, clientId = '', body}) {
    const {id, resourceId} = body as Partial<Record<'id' | 'resourceId', string>>
    if (!id) throw required('id')
    if (!resourceId) throw required('resourceId')
    const isEnded = removeChannel(store, {userId: user.id, clientId}, {id, resourceId})
    if (!isEnded) throw notFound('Channel', id, 'id')
    return undefined
  },
}

type Resource = Pick<NewChannel, 'resourceId' | 'resourceUri' | 'audience' | 'fileId' | 'params'>

/** Opens a channel for `longest` seconds at most and puts its first message, `sync`, in the queue. IDs are unique within an app. */
function open(call: Call<'changes.watch' | 'files.watch'>, longest: number, resource: Resource) {
  const {store, user, clientId = '', body, now} = call
  const wish = channelWish(body, longest, now)
  if (isChannelOpen(store, clientId, wish.id, now)) {
    throw badRequest(`Channel id ${wish.id} not unique`, 'id', 'channelIdNotUnique')
  }
  const channel = addChannel(store, {...wish, ...resource, userId: user.id, clientId})
  enqueueMessage(store, now, channel.key, 'sync')
  return channelRecord(channel)
}
