import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('changes.getStartPageToken', [
  ['Get the point from which to follow changes', 'changes get-start-page-token'],
  ['Get that of a shared drive', 'changes get-start-page-token --drive-id Finance'],
])
