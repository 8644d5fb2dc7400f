import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('revisions.delete', [
  [
    'Delete an old revision without confirmation',
    'revisions delete /Reports/q3.pdf "$REVISION_ID" --yes',
  ],
])
