import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('files.listLabels', [
  ['List the labels on a file', 'files list-labels /Reports/q3.pdf'],
])
