import {watchCommand} from '#lib/cli/verbs/channels/watch-command.js'

export default watchCommand('changes.watch', [
  ['Send notifications of changes to a URL', 'changes watch --address https://example.com/hook'],
  [
    'Include your own text in each notification',
    'changes watch --address https://example.com/hook --channel-token from-drv',
  ],
  [
    'Receive notifications behind a proxy',
    'changes watch --listen 8080 --public-url https://hooks.example.com/drv',
  ],
])
