import {openChannelRecord} from '#lib/cli/context/channels.js'
import {verb} from '#lib/cli/run/verb.js'
import {CHANNEL_COLUMNS, channelRow} from '#lib/cli/verbs/channels/rows.js'

export default verb({
  summary: 'List the notification channels that this machine has opened.',
  description:
    'The list comes from a record on this machine; drv sends no request. `state` is `listening` if a drv process receives the notifications, `open` if they go to another address or the process has ended, or `expired`. Channels are removed from the record when drv stops them, or a week after they expire.',
  examples: [
    ['List channels', 'channels list'],
    ['Stop all channels of the current profile', 'channels stop --all'],
  ],
  effect: 'reads',
  usesToken: false,
  columns: CHANNEL_COLUMNS,
  async run(_input, context, printer) {
    const record = await openChannelRecord(context)
    const rows = record.list().map(entry => channelRow(entry, context.now()))
    await printer.records(rows, CHANNEL_COLUMNS, 'channel')
  },
})
