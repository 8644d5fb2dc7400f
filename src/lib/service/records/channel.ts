import type {ChannelRow} from '#lib/service/store/channels.js'
import {present} from './common.js'

/** The Channel record that a watch operation answers (reference: resources.md, Channel). */
export function channelRecord(channel: ChannelRow) {
  return {
    kind: 'api#channel',
    id: channel.id,
    resourceId: channel.resource_id,
    resourceUri: channel.resource_uri,
    ...present({token: channel.token}),
    expiration: String(channel.expires_at),
    payload: channel.payload === 1,
  }
}
