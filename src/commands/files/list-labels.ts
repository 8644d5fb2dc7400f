import {listCommand} from '../../lib/cli/command/list.js'

export default listCommand('files.listLabels', [
  ['The labels on a file', 'files list-labels FILE_ID'],
])
