import {NEW_ID} from '#lib/cli/input/shared-flags.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand(
  'drives.insert',
  [
    ['Create a shared drive', 'drives insert --name Sales'],
    [
      'Create it only once, even if the command runs again',
      'drives insert --name Sales --request-id sales-2026',
    ],
  ],
  {
    aliases: ['drives create', 'drives new', 'drives add'],
    defaults: {query: {'request-id': NEW_ID}},
  },
)
