import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('permissions.patch', [
  ['Make a reader a writer', 'permissions patch /Reports/q3.pdf ada@example.com --role writer'],
  [
    'Let the access end at a time',
    'permissions patch /Reports/q3.pdf ada@example.com --expiration-date "$END"',
  ],
])
