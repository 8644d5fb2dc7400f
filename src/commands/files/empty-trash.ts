import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('files.emptyTrash', [
  ['Empty your trash', 'files empty-trash'],
  [
    'Empty the trash of a shared drive, without a question',
    'files empty-trash --drive-id DRIVE_ID --yes',
  ],
])
