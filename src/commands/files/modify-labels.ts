import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('files.modifyLabels', [
  [
    'Put a label on a file',
    `files modify-labels /Reports/q3.pdf --body '{"labelModifications":[{"labelId":"urgent"}]}'`,
  ],
  ['Change what a file says', 'files modify-labels /Reports/q3.pdf --body @labels.json'],
])
