import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('drives.unhide', {
  examples: [['Show a hidden shared drive again', 'drives unhide DRIVE_ID']],
})
