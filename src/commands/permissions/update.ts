import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('permissions.update', [
  [
    'Hand a file over, without a question',
    'permissions update /logs/1.log ada@example.com --role owner --transfer-ownership --yes',
  ],
])
