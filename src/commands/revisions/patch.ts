import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('revisions.patch', [
  ['Keep a revision permanently', 'revisions patch /Reports/q3.pdf "$REVISION_ID" --pinned'],
  [
    'Delete it automatically after 30 days',
    'revisions patch /Reports/q3.pdf "$REVISION_ID" --no-pinned',
  ],
])
