import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('revisions.patch', [
  ['Keep a revision permanently', 'revisions patch /Reports/q3.pdf "$REVISION_ID" --pinned'],
  [
    'Let the service delete a revision 30 days after newer content was uploaded',
    'revisions patch /Reports/q3.pdf "$REVISION_ID" --no-pinned',
  ],
])
