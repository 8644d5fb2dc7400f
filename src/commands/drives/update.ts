import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('drives.update', [
  ['Rename a shared drive', 'drives update DRIVE_ID --name "Old field notes"'],
  [
    'Keep outsiders out',
    `drives update DRIVE_ID --body '{"restrictions":{"domainUsersOnly":true}}'`,
  ],
])
