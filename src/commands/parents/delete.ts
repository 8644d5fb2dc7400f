import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('parents.delete', [
  ['Take a file out of a folder', 'parents delete FILE_ID FOLDER_ID'],
])
