import {listCommand} from '#lib/cli/run/list-command.js'

export default listCommand('revisions.list', [
  ['List the revisions of a file', 'revisions list /Reports/q3.pdf --all'],
])
