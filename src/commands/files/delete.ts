import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('files.delete', [
  ['Delete a file for good', 'files delete FILE_ID'],
  ['Without a question', 'files delete FILE_ID --yes'],
])
