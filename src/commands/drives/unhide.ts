import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('drives.unhide', [
  ['Show a hidden shared drive again', 'drives unhide Finance'],
])
