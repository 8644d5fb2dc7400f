import {listCommand} from '#lib/cli/run/list-command.js'

export default listCommand('parents.list', [
  ['List the folders a file is in', 'parents list /Reports/q3.pdf'],
])
