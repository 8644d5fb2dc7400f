import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('drives.update', [
  ['Rename a shared drive', 'drives update Finance --name Accounts'],
  [
    'Restrict access to users in the domain',
    `drives update Finance --body '{"restrictions": {"domainUsersOnly": true}}'`,
  ],
])
