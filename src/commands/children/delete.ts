import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('children.delete', [
  ['Take a file out of a folder', 'children delete FOLDER_ID FILE_ID'],
])
