import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('permissions.delete', [
  ['Stop sharing a file with somebody', 'permissions delete FILE_ID PERMISSION_ID'],
])
