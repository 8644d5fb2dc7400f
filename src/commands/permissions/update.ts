import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('permissions.update', [
  [
    'Transfer ownership of a file without confirmation',
    'permissions update /logs/1.log ada@example.com --role owner --transfer-ownership --yes',
  ],
])
