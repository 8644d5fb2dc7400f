import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('drives.get', [['Show a shared drive', 'drives get Finance']])
