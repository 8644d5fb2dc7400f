import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('permissions.delete', [
  [
    'Stop sharing a file with someone, without confirmation',
    'permissions delete /Reports/q3.pdf ada@example.com --yes',
  ],
])
