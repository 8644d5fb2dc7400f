import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('channels.stop', [
  ['Stop a channel', 'channels stop --id "$CHANNEL_ID" --resource-id "$RESOURCE_ID"'],
])
