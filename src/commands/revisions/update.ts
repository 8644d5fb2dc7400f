import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('revisions.update', [
  ['Keep a revision for good', 'revisions update FILE_ID REVISION_ID --pinned'],
])
