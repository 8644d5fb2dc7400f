import {channelDefaults} from '#lib/cli/input/shared-flags.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand(
  'files.watch',
  [
    [
      'Send notifications to a URL when a file changes',
      'files watch /Reports/q3.pdf --address https://example.com/hook',
    ],
  ],
  {
    more: 'By default, the channel ID is a new UUID and the type is web_hook.',
    defaults: channelDefaults,
  },
)
