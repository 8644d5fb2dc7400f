import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('files.trash', [
  ['Move a file to the trash', 'files trash FILE_ID'],
  [
    'Move what a search finds to the trash',
    `$ drv files list --q "title contains 'draft'" --all --format ids | drv files trash -`,
  ],
  ['See the request without sending it', 'files trash FILE_ID --dry-run'],
])
