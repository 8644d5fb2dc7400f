import {Flags} from '@oclif/core'
import {operation} from '#lib/api/operations.js'
import {requiredWithout} from '#lib/cli/input/shared-flags.js'
import {asVerb, operationVerb} from '#lib/cli/run/operation-command.js'
import {verb} from '#lib/cli/run/verb.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {stopAllChannels} from '#lib/cli/verbs/channels/stop-all.js'

const described = operationVerb(
  operation('channels.stop'),
  [
    ['Stop a channel', 'channels stop --id "$CHANNEL_ID" --resource-id "$RESOURCE_ID"'],
    ['Stop all channels of the current profile', 'channels stop --all'],
  ],
  {
    more: 'With --all, stops the channels from `drv channels list` that belong to the current profile and service. Channels that the service no longer has are removed from the list.',
    flags: {
      all: ranked(
        0,
        Flags.boolean({
          summary:
            'Stop all channels that this machine has opened for the current profile and service.',
          char: 'a',
        }),
      ),
    },
  },
)
const standard = asVerb(described)

export default verb({
  ...standard,
  flags: requiredWithout('all', 'id', described.flags),
  missing: given => (given.flags.all ? [] : (standard.missing?.(given) ?? [])),
  run: ({args, flags, argv, words}, context, printer) =>
    flags.all
      ? stopAllChannels(described, {args, flags}, {context, printer, argv})
      : standard.run({args, flags, argv, words}, context, printer),
})
