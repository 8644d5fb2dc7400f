import {listCommand} from '../../lib/cli/command/list.js'

export default listCommand('changes.list', [
  [
    'All changes since a token, and the token for the next time',
    'changes list --page-token 4711 --all',
  ],
  ['One change a line, for a program', 'changes list --page-token 4711 --all --format ndjson'],
])
