import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('drives.get', [['Show a shared drive', 'drives get Finance']])
