import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('drives.hide', [['Hide a shared drive', 'drives hide Finance']])
