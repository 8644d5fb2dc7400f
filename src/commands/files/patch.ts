import {operationCommand} from '../../lib/cli/operation.js'

export default operationCommand('files.patch', {
  examples: [
    ['Rename a file', 'files patch FILE_ID --title "Minutes, final"'],
    [
      'Move a file into another folder',
      'files patch FILE_ID --add-parents FOLDER_ID --remove-parents OLD_FOLDER_ID',
    ],
    ['Star a file', `files patch FILE_ID --body '{"labels": {"starred": true}}'`],
  ],
})
