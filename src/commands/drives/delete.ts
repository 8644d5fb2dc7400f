import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('drives.delete', [
  ['Delete an empty shared drive, without a question', 'drives delete Marketing --yes'],
  [
    'Delete one with all that is in it, as an administrator',
    'drives delete Finance --yes --use-domain-admin-access --allow-item-deletion',
  ],
])
