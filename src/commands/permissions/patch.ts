import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('permissions.patch', [
  ['Make a reader a writer', 'permissions patch FILE_ID PERMISSION_ID --role writer'],
  [
    'Let the access end',
    'permissions patch FILE_ID PERMISSION_ID --expiration-date 2027-03-01T00:00:00Z',
  ],
])
