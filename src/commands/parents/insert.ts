import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('parents.insert', [
  ['Put a file into a folder', 'parents insert FILE_ID --id FOLDER_ID'],
  ['Put it at the top of My Drive', 'parents insert FILE_ID --id root'],
])
