import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('permissions.list', [
  ['List who has access to a file', 'permissions list /Reports/q3.pdf'],
])
