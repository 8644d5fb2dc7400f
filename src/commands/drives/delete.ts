import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('drives.delete', [
  ['Delete an empty shared drive', 'drives delete DRIVE_ID'],
  [
    'Without a question, with everything in it, as an administrator',
    'drives delete DRIVE_ID --yes --use-domain-admin-access --allow-item-deletion',
  ],
])
