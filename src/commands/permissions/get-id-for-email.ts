import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('permissions.getIdForEmail', [
  ['Get the permission ID of a person', 'permissions get-id-for-email ada@example.com'],
])
