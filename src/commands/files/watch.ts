import {channelDefaults} from '#lib/cli/input/shared-flags.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand(
  'files.watch',
  [
    [
      'Have a web address told when a file changes',
      'files watch /Reports/q3.pdf --address https://example.com/hook',
    ],
  ],
  {
    more: 'Without --id the channel gets a new UUID, without --type it is a web_hook.',
    defaults: channelDefaults,
  },
)
