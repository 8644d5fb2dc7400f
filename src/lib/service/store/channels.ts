import {deleteRows, insertRow} from './database/rows.js'
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
  /** Unix ms. */
  readonly expires_at: number
}

/** A channel to be opened. */
export interface NewChannel extends Omit<ChannelRow, 'key'> {
  readonly user_id: number
  readonly client_id: string
  /** The file it watches, where it follows no line of changes. */
  readonly file_id: string | null
  /** JSON of `Followed`, or `{}`. */
  readonly params: string
}

/** Whether an app has an open channel of this ID: IDs are unique within an app. */
export function isChannelOpen(store: Store, clientId: string, id: string, now: number): boolean {
  const open =
    'SELECT 1 FROM channels WHERE id = :id AND client_id = :clientId AND expires_at > :now'
  return store.get(open, {id, clientId, now}) !== undefined
}

/** Adds a channel. Nothing is said over it yet. */
export function addChannel(store: Store, channel: NewChannel): ChannelRow {
  return {...channel, key: insertRow(store, 'channels', {...channel})}
}

/** Ends a channel; returns whether its owner had one of this ID for this resource. */
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
