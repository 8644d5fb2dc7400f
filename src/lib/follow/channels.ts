import {join} from 'node:path'
import {signature, signerOf} from '#lib/platform/process-identity.js'
import {isExpired, stateFile} from '#lib/platform/state-file.js'
import {isObject, parseJson} from '#lib/platform/values.js'

/**
 * The record of the notification channels that this machine has opened: a state file. It has neither
 * their tokens nor their addresses, which can contain secrets.
 */

/** A channel in the record. */
export interface ChannelEntry {
  readonly id: string
  readonly resourceId: string
  /** `changes`, or the ID of the watched file or shared drive. */
  readonly watches: string
  readonly profile: string
  /** `local`, or the origin of the service. */
  readonly service: string
  /** Unix ms; `undefined` if the service did not say. */
  readonly expires?: number
  /** The process that receives its notifications; `undefined` for another address. */
  readonly listener?: string
}

export interface ChannelRecord {
  /** The channels, the oldest first. Throws the system's error. */
  list(): readonly ChannelEntry[]
  /** Adds a channel, or replaces the entry of the same one. */
  add(entry: ChannelEntry): Promise<void>
  remove(channel: Pick<ChannelEntry, 'id' | 'resourceId' | 'service'>): Promise<void>
}

/** Milliseconds for which expired channels are listed. */
const KEPT = 7 * 86_400_000
/** Maximum number of entries. */
const LARGEST = 1000

/** The record in a state directory; without one, nothing is kept. */
export function createChannelRecord(
  directory: string | undefined,
  now: () => number,
): ChannelRecord {
  const file = stateFile<readonly ChannelEntry[]>({
    file: directory && join(directory, 'channels.json'),
    parse: text => {
      const value = parseJson(text)
      return Array.isArray(value) ? value.filter(isEntry) : []
    },
    format: entries => JSON.stringify(entries),
  })
  const isOther = (channel: Parameters<ChannelRecord['remove']>[0]) => (entry: ChannelEntry) =>
    entry.id !== channel.id ||
    entry.resourceId !== channel.resourceId ||
    entry.service !== channel.service
  return {
    list: () => file.readOrThrow() ?? [],
    add: entry =>
      file.update((entries = []) => {
        const others = entries.filter(isOther(entry)).filter(isListed(now()))
        return [...others, entry].slice(-LARGEST)
      }),
    remove: channel =>
      file.update((entries = []) => {
        const others = entries.filter(isOther(channel))
        return others.length < entries.length ? others : undefined
      }),
  }
}

function isListed(now: number) {
  return ({expires}: ChannelEntry) => expires === undefined || !isExpired(expires, now, KEPT)
}

function isEntry(value: unknown): value is ChannelEntry {
  if (!isObject(value)) return false
  const {id, resourceId, watches, profile, service, expires, listener} = value
  return (
    [id, resourceId, watches, profile, service].every(text => typeof text === 'string') &&
    ['number', 'undefined'].includes(typeof expires) &&
    ['string', 'undefined'].includes(typeof listener)
  )
}

/** The state of a channel: a drv process receives its notifications, it is open, or it has expired. */
export type ChannelState = 'listening' | 'open' | 'expired'

export function channelState({expires, listener}: ChannelEntry, now: number): ChannelState {
  if (expires !== undefined && expires <= now) return 'expired'
  const isAlive = listener !== undefined && ['this', 'working'].includes(signerOf(listener))
  return isAlive ? 'listening' : 'open'
}

/** The `listener` of channels whose notifications this process receives. */
export function thisListener(): string {
  return JSON.stringify(signature())
}
