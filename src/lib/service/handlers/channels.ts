import {createHash} from 'node:crypto'
import {parseUrl} from '#lib/platform/values.js'
import type {Call, HandlersOf} from '#lib/service/call.js'
import {badRequest, invalid, notFound, required} from '#lib/service/errors.js'
import {channelRecord} from '#lib/service/records/change.js'
import {requestLink} from '#lib/service/records/common.js'
import {
  addChannel,
  type ChannelRow,
  enqueueMessage,
  type Followed,
  isChannelOpen,
  type NewChannel,
  removeChannel,
} from '#lib/service/store/channels.js'
import {openFile} from '#lib/service/store/sharing/access.js'
import {readFollowing} from './changes.js'

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

/** What a watch request may ask for (reference: protocols.md, section 8; resources.md, Channel). */
type ChannelWish = Pick<ChannelRow, 'id' | 'address' | 'token' | 'payload' | 'expires_at'>

/** How long a channel lives unless it says so, and at most, in seconds. */
const DEFAULT_LIFETIME = 3600
const CHANNEL_LIFETIMES = {'files.watch': 86_400, 'changes.watch': 604_800} as const

const ID_LENGTH = 64
const TOKEN_LENGTH = 256
/** What a header can carry as it is. */
const HEADER_TEXT = /^[\x20-\x7e]*$/

/** Reads the body of a watch request: 400 for what is missing or wrong; a longer life than `longest` seconds is cut. */
function channelWish(
  body: Readonly<Record<string, unknown>>,
  longest: number,
  now: number,
): ChannelWish {
  type Fields = Partial<Record<'id' | 'address' | 'token', string>> & {payload?: boolean | null}
  const {id, address, token, payload} = body as Fields
  if (!id) throw required('id')
  if (id.length > ID_LENGTH || !HEADER_TEXT.test(id)) {
    throw invalid(`The id must be plain text of at most ${ID_LENGTH} characters.`, 'id')
  }
  if (!body.type) throw required('type')
  if (body.type !== 'web_hook' && body.type !== 'webhook') {
    throw badRequest('The type must be web_hook.', 'type', 'push.channelTypeNotSupported')
  }
  if (!address) throw required('address')
  checkAddress(address)
  if (token && (token.length > TOKEN_LENGTH || !HEADER_TEXT.test(token))) {
    const words = `The token must be plain text of at most ${TOKEN_LENGTH} characters.`
    throw invalid(words, 'token')
  }
  return {
    id,
    address,
    token: token || null,
    payload: Number(payload !== false),
    expires_at: Math.floor(Math.min(wishedEnd(body, now), now + longest * 1000)),
  }
}

/** HTTPS anywhere; plain HTTP to this computer only, for trying things out. */
function checkAddress(address: string): void {
  const url = parseUrl(address)
  if (!url || url.username !== '' || url.password !== '') {
    throw invalid('The address must be a URL, without a user name in it.', 'address')
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return
  throw badRequest(
    'The address must start with https:// (http:// works for this computer only).',
    'address',
    'push.webhookUrlNotHttps',
  )
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)
}

/** `expiration` (Unix ms) counts more than `params.ttl` (seconds); neither means the default. */
function wishedEnd(body: Readonly<Record<string, unknown>>, now: number): number {
  const ttl = (body.params as Readonly<Record<string, string>> | null | undefined)?.ttl
  const end = body.expiration
    ? Number(body.expiration)
    : ttl
      ? now + Number(ttl) * 1000
      : now + DEFAULT_LIFETIME * 1000
  if (end > now) return end
  const place = body.expiration ? 'expiration' : 'params.ttl'
  throw invalid('Invalid ttl value for channel', place)
}

/** The ID of what a channel watches: always the same for the same thing. */
function resourceIdOf(kind: 'file' | 'changes', watched: string): string {
  return createHash('sha256').update(`${kind}:${watched}`).digest('base64url').slice(0, 27)
}
