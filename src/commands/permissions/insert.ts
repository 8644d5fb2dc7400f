import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('permissions.insert', [
  [
    'Give someone read access to a file',
    'permissions insert /logs/1.log --role reader --type user --value ada@example.com',
  ],
  [
    'Give read access to anyone who has the link',
    'permissions insert /logs/1.log --role reader --type anyone --with-link',
  ],
  [
    'Give someone write access to two folders',
    'permissions insert /Reports /Archive --role writer --type user --value ada@example.com',
  ],
])
