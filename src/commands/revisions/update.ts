import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('revisions.update', [
  ['Keep a revision permanently', 'revisions update /Reports/q3.pdf "$REVISION_ID" --pinned'],
])
