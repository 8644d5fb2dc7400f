import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('permissions.get', [
  ["Show someone's permission on a file", 'permissions get /Reports/q3.pdf ada@example.com'],
])
