import {listCommand} from '../../lib/cli/command/list.js'

export default listCommand('revisions.list', [
  ['List the revisions of a file', 'revisions list /Reports/q3.pdf --all'],
])
