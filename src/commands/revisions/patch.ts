import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('revisions.patch', [
  ['Keep a revision for good', 'revisions patch /Reports/q3.pdf "$REVISION_ID" --pinned'],
  ['Let it go after 30 days', 'revisions patch /Reports/q3.pdf "$REVISION_ID" --no-pinned'],
])
