import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('drives.unhide', [
  ['Show a hidden shared drive again', 'drives unhide Finance'],
])
