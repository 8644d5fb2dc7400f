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
import {requireFile} from '#lib/service/store/sharing/access.js'
import {readFollowing} from './changes.js'

/** Opens and closes notification channels (reference: protocols.md, section 8). Delivery: `server/delivery.ts`. */
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
    const {id} = requireFile(call, call.params.fileId)
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

/**
 * Opens a channel for at most `maxLifetime` seconds, enqueues its first message, `sync`, and returns
 * its record. Throws 400 `channelIdNotUnique` if the app has an open channel of this ID.
 */
function open(
  call: Call<'changes.watch' | 'files.watch'>,
  maxLifetime: number,
  resource: Omit<NewChannel, keyof RequestedChannel | 'user_id' | 'client_id'>,
) {
  const {store, user, clientId = '', body, now} = call
  const requested = readChannel(body, maxLifetime, now)
  if (isChannelOpen(store, clientId, requested.id, now)) {
    throw badRequest(`Channel id ${requested.id} not unique`, 'id', 'channelIdNotUnique')
  }
  const owner = {user_id: user.id, client_id: clientId}
  const channel = addChannel(store, {...requested, ...resource, ...owner})
  enqueueMessage(store, now, channel.key, 'sync')
  return channelRecord(channel)
}

/** The columns that a watch request sets (reference: protocols.md, section 8; resources.md, Channel). */
type RequestedChannel = Pick<ChannelRow, 'id' | 'address' | 'token' | 'payload' | 'expires_at'>

/** Default and maximum lifetime of a channel, in seconds. */
const DEFAULT_LIFETIME = 3600
const CHANNEL_LIFETIMES = {'files.watch': 86_400, 'changes.watch': 604_800} as const

const ID_LENGTH = 64
const TOKEN_LENGTH = 256
/** Text that fits into a header without encoding. */
const HEADER_TEXT = /^[\x20-\x7e]*$/

/**
 * Reads the body of a watch request. Throws 400 for missing or invalid fields. A lifetime above
 * `maxLifetime` seconds is reduced to it.
 */
function readChannel(
  body: Readonly<Record<string, unknown>>,
  maxLifetime: number,
  now: number,
): RequestedChannel {
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
    expires_at: Math.floor(Math.min(readExpiration(body, now), now + maxLifetime * 1000)),
  }
}

/** Throws 400 unless the address is HTTPS, or HTTP to this machine, which is allowed for testing. */
function checkAddress(address: string): void {
  const url = parseUrl(address)
  if (!url || url.username !== '' || url.password !== '') {
    throw invalid('The address must be a URL without a user name.', 'address')
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return
  throw badRequest(
    'The address must start with https:// (http:// is allowed for this machine only).',
    'address',
    'push.webhookUrlNotHttps',
  )
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)
}

/**
 * The expiration of a channel in Unix ms: `expiration` (Unix ms), or else `params.ttl` (seconds), or
 * else the default. Throws 400 if it is in the past.
 */
function readExpiration(body: Readonly<Record<string, unknown>>, now: number): number {
  const ttl = (body.params as Readonly<Record<string, string>> | null | undefined)?.ttl
  const end = body.expiration
    ? Number(body.expiration)
    : ttl
      ? now + Number(ttl) * 1000
      : now + DEFAULT_LIFETIME * 1000
  if (end > now) return end
  const field = body.expiration ? 'expiration' : 'params.ttl'
  throw invalid('Invalid ttl value for channel', field)
}

/** The ID of a watched resource: 27 characters, the same for every channel that watches it. */
function resourceIdOf(kind: 'file' | 'changes', watched: string): string {
  return createHash('sha256').update(`${kind}:${watched}`).digest('base64url').slice(0, 27)
}
