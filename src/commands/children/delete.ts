import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('children.delete', [
  [
    'Take a file out of a folder, without a question',
    'children delete /Reports /Reports/q3.pdf --yes',
  ],
])
