import {listCommand} from '../../lib/cli/command/list.js'

export default listCommand('permissions.list', [
  ['Who has access to a file', 'permissions list FILE_ID'],
])
