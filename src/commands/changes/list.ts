import {listCommand} from '#lib/cli/run/list-command.js'

export default listCommand('changes.list', [
  [
    'List all changes since a token, with the token for the next time',
    'changes list --page-token "$PAGE_TOKEN" --all',
  ],
  [
    'Write one change a line, for a program',
    'changes list --page-token "$PAGE_TOKEN" --all --format ndjson',
  ],
])
