import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('children.insert', [
  ['Put a file into a folder', 'children insert FOLDER_ID --id FILE_ID'],
])
