import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('permissions.insert', [
  [
    'Let somebody read a file',
    'permissions insert /logs/1.log --role reader --type user --value ada@example.com',
  ],
  [
    'Let everybody with the link read it',
    'permissions insert /logs/1.log --role reader --type anyone --with-link',
  ],
  [
    'Let somebody write to two folders',
    'permissions insert /Reports /Archive --role writer --type user --value ada@example.com',
  ],
])
