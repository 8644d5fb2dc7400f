import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('changes.list', [
  [
    'List all changes since a token, with the token for the next time',
    'changes list --page-token "$PAGE_TOKEN" --all',
  ],
  [
    'Write one change a line, for a program',
    'changes list --page-token "$PAGE_TOKEN" --all --format ndjson',
  ],
])
