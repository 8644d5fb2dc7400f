import type {Client} from '#lib/client/client.js'
import type {Settings} from '#lib/config/settings.js'
import type {ChannelRecord} from '#lib/follow/channels.js'
import {withChannelRecord} from '#lib/follow/record-channels.js'
import {reasonOf} from '#lib/platform/system-errors.js'
import type {Context} from './context.js'

/** Records the notification channels of a command for `drv channels list`. */

type Recording = Pick<Context, 'directories' | 'now'> & {
  readonly settings: Pick<Settings, 'profile' | 'binding'>
  readonly noteOnce: (text: string) => void
}

/** The client that records the channels which it opens. */
export function recordingClient(client: Client, recording: Recording): Client {
  const {settings, noteOnce} = recording
  return withChannelRecord(client, {
    profile: settings.profile,
    service: settings.binding,
    record: () => openChannelRecord(recording),
    onLoss: error =>
      noteOnce(
        `Warning: cannot record the channel (${reasonOf(error)}). \`drv channels list\` does not show it.`,
      ),
  })
}

/** The record of this machine's channels. */
export async function openChannelRecord({
  directories,
  now,
}: Pick<Context, 'directories' | 'now'>): Promise<ChannelRecord> {
  const {createChannelRecord} = await import('#lib/follow/channels.js')
  return createChannelRecord(directories.state, now)
}
