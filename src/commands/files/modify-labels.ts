import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('files.modifyLabels', [
  [
    'Add a label to a file',
    `files modify-labels /Reports/q3.pdf --body '{"labelModifications":[{"labelId":"urgent"}]}'`,
  ],
  [
    'Apply the label changes in a JSON file',
    'files modify-labels /Reports/q3.pdf --body @labels.json',
  ],
])
