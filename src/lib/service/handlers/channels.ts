import type {Call, HandlersOf} from '../call.js'
import {type ChannelRow, channelWish, LIFETIMES, resourceIdOf} from '../changes/channels.js'
import {readFollowing} from '../changes/following.js'
import {badRequest, notFound, required} from '../errors.js'
import {channelRecord} from '../records/channel.js'
import {requestLink} from '../records/common.js'
import {openFile} from '../store/sharing/access.js'
import {enqueueMessage, type Followed} from '../store/messages.js'

/** Channels (reference: protocols.md, section 8). What is sent over them is in `changes/delivery.ts`. */
export const channelsHandlers: HandlersOf<'channels.stop' | 'changes.watch' | 'files.watch'> = {
  'changes.watch'(call) {
    const {line, view, removals, spaces} = readFollowing(call)
    const params: Followed = {view, removals, spaces}
    return open(call, {
      longest: LIFETIMES['changes.watch'],
      resourceId: resourceIdOf('changes', line),
      resourceUri: requestLink(call, 'changes'),
      audience: line,
      fileId: null,
      params,
    })
  },

  'files.watch'(call) {
    const {id} = openFile(call, call.params.fileId)
    return open(call, {
      longest: LIFETIMES['files.watch'],
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
    const {changes} = store.run(
      `DELETE FROM channels WHERE id = :id AND resource_id = :resourceId
       AND user_id = :userId AND client_id = :clientId`,
      {id, resourceId, userId: user.id, clientId},
    )
    if (changes === 0) throw notFound('Channel', id, 'id')
    return undefined
  },
}

interface Watched {
  /** Seconds. */
  readonly longest: number
  readonly resourceId: string
  readonly resourceUri: string
  readonly audience: string | null
  readonly fileId: string | null
  readonly params: Followed | Record<never, never>
}

/** Opens a channel and puts its first message, `sync`, in the queue. IDs are unique within an app. */
function open(call: Call<'changes.watch' | 'files.watch'>, watched: Watched) {
  const {store, user, clientId = '', body, now} = call
  const wish = channelWish(body, watched.longest, now)
  const taken = store.get(
    'SELECT 1 FROM channels WHERE id = :id AND client_id = :clientId AND expires_at > :now',
    {id: wish.id, clientId, now},
  )
  if (taken) throw badRequest(`Channel id ${wish.id} not unique`, 'id', 'channelIdNotUnique')
  const {lastId: key} = store.run(
    `INSERT INTO channels (id, user_id, client_id, resource_id, resource_uri, audience, file_id,
       params, address, token, payload, expires_at)
     VALUES (:id, :userId, :clientId, :resourceId, :resourceUri, :audience, :fileId,
       :params, :address, :token, :payload, :expiresAt)`,
    {
      id: wish.id,
      userId: user.id,
      clientId,
      resourceId: watched.resourceId,
      resourceUri: watched.resourceUri,
      audience: watched.audience,
      fileId: watched.fileId,
      params: JSON.stringify(watched.params),
      address: wish.address,
      token: wish.token,
      payload: Number(wish.payload),
      expiresAt: Math.floor(wish.expiresAt),
    },
  )
  enqueueMessage(store, now, key, 'sync')
  const channel = store.get<ChannelRow>('SELECT * FROM channels WHERE key = :key', {key})!
  return channelRecord(channel)
}
