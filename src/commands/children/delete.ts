import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('children.delete', [
  [
    'Remove a file from a folder without confirmation',
    'children delete /Reports /Reports/q3.pdf --yes',
  ],
])
