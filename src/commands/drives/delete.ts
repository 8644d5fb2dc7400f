import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('drives.delete', [
  ['Delete an empty shared drive, without a question', 'drives delete Marketing --yes'],
])
