import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('permissions.get', [
  ['Show a permission', 'permissions get FILE_ID PERMISSION_ID'],
])
