import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('files.modifyLabels', [
  [
    'Take a label off a file',
    `files modify-labels FILE_ID --body '{"labelModifications":[{"labelId":"LABEL_ID","removeLabel":true}]}'`,
  ],
  ['Changes from a file', 'files modify-labels FILE_ID --body @changes.json'],
])
