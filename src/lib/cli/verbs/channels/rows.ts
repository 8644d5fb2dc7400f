import type {Row} from '#lib/cli/output/format.js'
import {type ChannelEntry, channelState} from '#lib/follow/channels.js'

export const CHANNEL_COLUMNS = [
  'id',
  'state',
  'watches',
  'expires',
  'service',
  'profile',
  'resourceId',
]

/** The row of a channel for `drv channels list`. */
export function channelRow(entry: ChannelEntry, now: number): Row {
  const {id, resourceId, watches, profile, service, expires} = entry
  return {
    id,
    state: channelState(entry, now),
    watches,
    expires: expires === undefined ? undefined : new Date(expires).toISOString(),
    service,
    profile,
    resourceId,
  }
}
