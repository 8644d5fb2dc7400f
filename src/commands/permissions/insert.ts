import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('permissions.insert', [
  [
    'Let somebody read a file',
    'permissions insert FILE_ID --role reader --type user --value ada@example.org',
  ],
  [
    'Let everybody with the link read it, without a mail',
    'permissions insert FILE_ID --role reader --type anyone --with-link --no-send-notification-emails',
  ],
  [
    'Let somebody write to several files',
    'permissions insert FILE_ID FOLDER_ID --role writer --type user --value ada@example.org',
  ],
])
