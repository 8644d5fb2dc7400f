import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('parents.get', [
  ['See whether a file is in a folder', 'parents get FILE_ID FOLDER_ID'],
])
