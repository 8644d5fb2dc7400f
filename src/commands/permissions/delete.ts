import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('permissions.delete', [
  [
    'Stop sharing a file with somebody, without a question',
    'permissions delete /Reports/q3.pdf ada@example.com --yes',
  ],
])
