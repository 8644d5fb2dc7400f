import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('permissions.update', [
  ['Make a reader a writer', 'permissions update FILE_ID PERMISSION_ID --role writer'],
  [
    'Hand a file over',
    'permissions update FILE_ID PERMISSION_ID --role owner --transfer-ownership',
  ],
])
