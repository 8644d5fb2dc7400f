import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('files.trash', [
  ['Move a file to the trash', 'files trash FILE_ID'],
  ['See the request without sending it', 'files trash FILE_ID --dry-run'],
])
