import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('channels.stop', [
  ['Stop a channel', 'channels stop --id "$CHANNEL_ID" --resource-id "$RESOURCE_ID"'],
])
