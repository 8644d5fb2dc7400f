import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('files.trash', [
  ['Move a file to the trash', 'files trash /Reports/q3.pdf'],
  ['Preview the change', 'files trash /Reports/q3.pdf --dry-run'],
])
