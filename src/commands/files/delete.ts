import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('files.delete', [
  ['Delete a file for good, without a question', 'files delete /Reports/q3.pdf --yes'],
])
