import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('revisions.delete', [
  ['Delete an old version', 'revisions delete FILE_ID REVISION_ID'],
])
