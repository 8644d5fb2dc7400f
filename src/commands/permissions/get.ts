import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('permissions.get', [
  ['Show what somebody may do', 'permissions get /Reports/q3.pdf ada@example.com'],
])
