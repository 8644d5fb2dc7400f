import {deleteRows, findRow, insertRow} from './database/rows.js'
import type {Store} from './index.js'
import type {View} from './sharing/audience.js'

/** What a channel of changes.watch wants to hear of, as `channels.params` holds it. */
export interface Followed {
  readonly view: View
  readonly removals: boolean
  /** All spaces where absent. */
  readonly spaces?: readonly string[]
}

/** A channel as stored. Columns: `schema.ts`. */
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
  readonly expires_at: number
}

/** Whose a channel is: what an app opened for a user. */
interface ChannelOwner {
  readonly userId: number
  /** Empty for a token of no app. */
  readonly clientId: string
}

/** A channel to be opened. */
export interface NewChannel extends ChannelOwner {
  readonly id: string
  readonly resourceId: string
  readonly resourceUri: string
  /** The line of changes it follows, or else the file it watches. */
  readonly audience: string | null
  readonly fileId: string | null
  readonly params: Followed | Record<never, never>
  readonly address: string
  readonly token: string | null
  readonly payload: boolean
  /** Unix ms. */
  readonly expiresAt: number
}

/** Whether an app has an open channel of this ID: IDs are unique within an app. */
export function isChannelOpen(store: Store, clientId: string, id: string, now: number): boolean {
  const open =
    'SELECT 1 FROM channels WHERE id = :id AND client_id = :clientId AND expires_at > :now'
  return store.get(open, {id, clientId, now}) !== undefined
}

/** Adds a channel. Nothing is said over it yet. */
export function addChannel(store: Store, channel: NewChannel): ChannelRow {
  const {userId, clientId, resourceId, resourceUri, fileId, params, expiresAt, ...rest} = channel
  const key = insertRow(store, 'channels', {
    ...rest,
    user_id: userId,
    client_id: clientId,
    resource_id: resourceId,
    resource_uri: resourceUri,
    file_id: fileId,
    params: JSON.stringify(params),
    expires_at: Math.floor(expiresAt),
  })
  return findRow<ChannelRow>(store, 'channels', {key})!
}

/** Ends a channel of this owner; returns whether there was one of this ID for this resource. */
export function removeChannel(
  store: Store,
  {userId, clientId}: ChannelOwner,
  {id, resourceId}: Pick<NewChannel, 'id' | 'resourceId'>,
): boolean {
  const key = {id, resource_id: resourceId, user_id: userId, client_id: clientId}
  return deleteRows(store, 'channels', key) > 0
}
