import {listCommand} from '../../lib/cli/command/list.js'

export default listCommand('revisions.list', [
  ['The revisions of a file', 'revisions list FILE_ID --all'],
])
