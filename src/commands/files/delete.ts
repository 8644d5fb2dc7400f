import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('files.delete', [
  ['Delete a file for good, without a question', 'files delete /Reports/q3.pdf --yes'],
])
