import {listCommand} from '../../lib/cli/command/list.js'

export default listCommand('parents.list', [
  ['List the folders a file is in', 'parents list /Reports/q3.pdf'],
])
