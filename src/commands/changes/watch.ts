import {channelDefaults} from '#lib/cli/input/shared-flags.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand(
  'changes.watch',
  [
    ['Send notifications of changes to a URL', 'changes watch --address https://example.com/hook'],
    [
      'Include a text in each notification',
      'changes watch --address https://example.com/hook --channel-token from-drv',
    ],
  ],
  {
    more: 'By default, the channel ID is a new UUID and the type is web_hook.',
    defaults: channelDefaults,
  },
)
