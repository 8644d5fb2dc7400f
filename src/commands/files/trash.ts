import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('files.trash', [
  ['Move a file to the trash', 'files trash /Reports/q3.pdf'],
  ['See the request without sending it', 'files trash /Reports/q3.pdf --dry-run'],
])
