import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('changes.getStartPageToken', [
  ['Get a token for listing later changes', 'changes get-start-page-token'],
  ['Get a token for a shared drive', 'changes get-start-page-token --drive-id Finance'],
])
