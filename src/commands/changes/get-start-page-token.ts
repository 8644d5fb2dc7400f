import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('changes.getStartPageToken', [
  ['The point from which to follow changes', 'changes get-start-page-token'],
  ['The same for a shared drive', 'changes get-start-page-token --drive-id 0AKq3T5'],
])
