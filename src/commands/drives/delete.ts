import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('drives.delete', [
  ['Delete an empty shared drive without confirmation', 'drives delete Marketing --yes'],
])
