import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('permissions.patch', [
  [
    'Change a reader to a writer',
    'permissions patch /Reports/q3.pdf ada@example.com --role writer',
  ],
  [
    'Set an expiration date',
    'permissions patch /Reports/q3.pdf ada@example.com --expiration-date "$END"',
  ],
])
