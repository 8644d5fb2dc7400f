import {column, deleteRows, insertRow, updateRows} from './database/rows.js'
import type {Store} from './index.js'
import {strongestRole} from './sharing/access.js'
import type {ChangeEntry, View} from './sharing/audience.js'
import {userById} from './users.js'

/** The filter of a changes.watch channel, stored in `channels.params`. */
export interface Followed {
  readonly view: View
  readonly removals: boolean
  /** Default: all spaces. */
  readonly spaces?: readonly string[]
}

/** A channel as stored. Columns: `layout.ts`. */
export interface ChannelRow {
  readonly key: number
  readonly id: string
  readonly resource_id: string
  readonly resource_uri: string
  /** `null` for a channel of files.watch. */
  readonly audience: string | null
  readonly address: string
  readonly token: string | null
  readonly payload: number
  /** Unix ms. */
  readonly expires_at: number
}

/** A new channel. */
export interface NewChannel extends Omit<ChannelRow, 'key'> {
  readonly user_id: number
  readonly client_id: string
  /** The file of a files.watch channel; `null` for changes.watch. */
  readonly file_id: string | null
  /** JSON of `Followed`, or `{}`. */
  readonly params: string
}

/** Whether an app has an open channel with this ID. IDs are unique within an app. */
export function isChannelOpen(store: Store, clientId: string, id: string, now: number): boolean {
  const open =
    'SELECT 1 FROM channels WHERE id = :id AND client_id = :clientId AND expires_at > :now'
  return store.get(open, {id, clientId, now}) !== undefined
}

/** Adds a channel without messages. */
export function addChannel(store: Store, channel: NewChannel): ChannelRow {
  return {...channel, key: insertRow(store, 'channels', {...channel})}
}

/** Removes a channel. Returns whether its owner had one with this ID for this resource. */
export function removeChannel(
  store: Store,
  {
    id,
    resource_id,
    user_id,
    client_id,
  }: Pick<NewChannel, 'id' | 'resource_id' | 'user_id' | 'client_id'>,
): boolean {
  return deleteRows(store, 'channels', {id, resource_id, user_id, client_id}) > 0
}

/** The event of a message, as in `X-Goog-Resource-State` (reference: protocols.md, section 8). */
export type ResourceState = 'add' | 'remove' | 'update' | 'trash' | 'untrash'

/** The changed parts of an item, as in `X-Goog-Changed`. */
export type ChangedPart = 'content' | 'properties' | 'parents' | 'children' | 'permissions'

/** Enqueues messages for the channels that follow the lines of new entries about an item, if their view shows the entry. One waiting message covers all changes. */
export function notifyFollowers(
  store: Store,
  now: number,
  entries: readonly ChangeEntry[],
  space: string,
): void {
  // One query for all lines: items can have many, and channels are rare.
  const channels = store.all<{key: number; user_id: number; params: string; line: string}>(
    `SELECT key, user_id, params, audience AS line FROM channels c
     WHERE audience IN (SELECT value FROM json_each(:lines)) AND expires_at > :now
     AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.channel_key = c.key
       AND m.state = 'change' AND m.leased_until <= :now)`,
    {lines: JSON.stringify(entries.map(({line}) => line)), now},
  )
  for (const channel of channels) {
    const {view, removals, spaces} = JSON.parse(channel.params) as Followed
    const matches = entries.some(
      ({line, from, to, removed}) =>
        line === channel.line &&
        view >= from &&
        view <= to &&
        (removals || !removed) &&
        (spaces?.includes(space) ?? true),
    )
    const driveId = /^drive:(.*)$/.exec(channel.line)?.[1]
    // Only members can follow the line of a shared drive.
    if (matches && (driveId === undefined || reaches(store, now, channel, driveId))) {
      enqueueMessage(store, now, channel.key, 'change')
    }
  }
}

/** Enqueues messages for the channels that watch an item. Users whose lines are in `lost` get a last message, `remove`. */
export function notifyWatchers(
  store: Store,
  now: number,
  fileId: string,
  state: ResourceState,
  changed: readonly ChangedPart[],
  lost: readonly string[] = [],
): void {
  const channels = store.all<{key: number; user_id: number}>(
    'SELECT key, user_id FROM channels WHERE file_id = :fileId AND expires_at > :now',
    {fileId, now},
  )
  for (const channel of channels) {
    if (reaches(store, now, channel, fileId)) {
      enqueueMessage(store, now, channel.key, state, changed)
    } else if (lost.includes(`user:${channel.user_id}`)) {
      enqueueMessage(store, now, channel.key, 'remove')
    }
  }
}

function reaches(store: Store, now: number, {user_id}: {user_id: number}, fileId: string): boolean {
  return strongestRole(store, userById(store, user_id)!, fileId, now) !== undefined
}

/** Adds a message to the queue of a channel, with the next number. */
export function enqueueMessage(
  store: Store,
  now: number,
  channelKey: number,
  state: ResourceState | 'sync' | 'change',
  changed: readonly ChangedPart[] = [],
): void {
  const [number] = column<number>(
    store,
    'UPDATE channels SET last_number = last_number + 1 WHERE key = :key RETURNING last_number',
    {key: channelKey},
  )
  const parts = changed.length > 0 ? changed.join(',') : null
  insertRow(store, 'messages', {
    channel_key: channelKey,
    number,
    state,
    changed: parts,
    due_at: now,
  })
}

/** A message with its channel. */
export interface Message extends ChannelRow {
  readonly message_key: number
  readonly number: number
  readonly state: string
  readonly changed: string | null
  readonly attempts: number
}

/** The condition for a channel `c` to have ended at `:now`: it expired, or all tokens of its user and app are revoked. */
const HAS_ENDED = `(c.expires_at <= :now OR NOT EXISTS (
  SELECT 1 FROM tokens t
  WHERE t.user_id = c.user_id AND t.client_id IS nullif(c.client_id, '') AND t.revoked_at IS NULL))`

const DUE_MESSAGES = `
  SELECT c.*, m.key AS message_key, m.number, m.state, m.changed, m.attempts
  FROM messages m JOIN channels c ON c.key = m.channel_key
  WHERE m.due_at <= :now AND m.leased_until <= :now AND NOT ${HAS_ENDED}
    AND NOT EXISTS (SELECT 1 FROM messages o WHERE o.channel_key = m.channel_key AND o.key < m.key)
  ORDER BY m.due_at LIMIT :limit`

/** Leases due messages, the first of each channel, for `lease` ms and returns them. Removes channels that have ended. */
export function takeMessages(store: Store, now: number, limit: number, lease: number): Message[] {
  const hasEnded = store.get(`SELECT 1 FROM channels c WHERE ${HAS_ENDED} LIMIT 1`, {now})
  // Reading needs no lock, and usually there is nothing to do.
  if (!hasEnded && store.all(DUE_MESSAGES, {now, limit}).length === 0) return []
  return store.write(() => {
    store.run(`DELETE FROM channels AS c WHERE ${HAS_ENDED}`, {now})
    const messages = store.all<Message>(DUE_MESSAGES, {now, limit})
    for (const {message_key: key} of messages) {
      updateRows(store, 'messages', {key}, {leased_until: now + lease})
    }
    return messages
  })
}

/** Removes a delivered or undeliverable message from the queue, or schedules its next attempt. */
export function settleMessage(
  store: Store,
  {message_key: key, attempts}: Message,
  status: number | undefined,
  now: number,
): void {
  const again =
    outcomeOf(status) === 'retry'
      ? nextAttempt(attempts + 1, now, store.random(1)[0]! / 256)
      : undefined
  if (again === undefined) deleteRows(store, 'messages', {key})
  else
    updateRows(store, 'messages', {key}, {attempts: attempts + 1, due_at: again, leased_until: 0})
}

const SUCCESS = [200, 201, 202, 204, 102]
const RETRYABLE = [500, 502, 503, 504]

const FIRST_DELAY = 1000
const MAX_DELAY = 10 * 60_000
const MAX_ATTEMPTS = 15

/** The outcome of a delivery with this status; `undefined` means that the receiver could not be reached. */
export function outcomeOf(status: number | undefined): 'delivered' | 'retry' | 'dropped' {
  if (status === undefined || RETRYABLE.includes(status)) return 'retry'
  return SUCCESS.includes(status) ? 'delivered' : 'dropped'
}

/** The time of the next attempt in Unix ms: after 1 s, 2 s, 4 s … up to 10 min, plus up to 25% (`chance`, 0 to 1). `undefined` after the last attempt. */
export function nextAttempt(attempts: number, now: number, chance: number): number | undefined {
  if (attempts >= MAX_ATTEMPTS) return undefined
  const delay = Math.min(FIRST_DELAY * 2 ** (attempts - 1), MAX_DELAY)
  return now + Math.round(delay * (1 + chance / 4))
}
