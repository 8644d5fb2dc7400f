import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand(
  'drives.insert',
  [
    ['Create a shared drive', 'drives insert --name "Field notes"'],
    [
      'In a way that can be repeated safely',
      'drives insert --name "Field notes" --request-id 0d0a6f5e-6b0e-4f2b-9a53-5d2f3c8f7a10',
    ],
  ],
  {defaults: newId => ({query: {'request-id': newId()}})},
)
