import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('permissions.get', {
  examples: [['Show a permission', 'permissions get FILE_ID PERMISSION_ID']],
})
