import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('revisions.delete', [
  [
    'Delete an old version, without a question',
    'revisions delete /Reports/q3.pdf "$REVISION_ID" --yes',
  ],
])
