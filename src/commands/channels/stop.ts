import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('channels.stop', [
  ['Stop a channel', 'channels stop --id 6f0c9d3e --resource-id o3hgv1538sdjfh'],
])
