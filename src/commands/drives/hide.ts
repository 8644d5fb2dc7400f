import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('drives.hide', [['Hide a shared drive', 'drives hide Finance']])
