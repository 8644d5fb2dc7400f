import {channelDefaults} from '#lib/cli/input/shared-flags.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand(
  'changes.watch',
  [
    ['Have a web address told of every change', 'changes watch --address https://example.com/hook'],
    [
      'Send a text along with every message',
      'changes watch --address https://example.com/hook --channel-token from-drv',
    ],
  ],
  {
    more: 'Without --id the channel gets a new UUID, without --type it is a web_hook.',
    defaults: channelDefaults,
  },
)
