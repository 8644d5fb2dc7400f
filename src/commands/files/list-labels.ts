import {listCommand} from '#lib/cli/run/list-command.js'

export default listCommand('files.listLabels', [
  ['List the labels on a file', 'files list-labels /Reports/q3.pdf'],
])
