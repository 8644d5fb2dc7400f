import {listCommand} from '../../lib/cli/list.js'

export default listCommand('files.listLabels', {
  examples: [['The labels on a file', 'files list-labels FILE_ID']],
})
