import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('files.delete', [
  ['Delete a file permanently without confirmation', 'files delete /Reports/q3.pdf --yes'],
])
