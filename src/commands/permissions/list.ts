import {listCommand} from '#lib/cli/run/list-command.js'

export default listCommand('permissions.list', [
  ['List who has access to a file', 'permissions list /Reports/q3.pdf'],
])
