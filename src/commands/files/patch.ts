import {changeCommand} from '../../lib/cli/command/change.js'

export default changeCommand(
  'files.patch',
  [
    ['Rename a file', 'files patch FILE_ID --title "Minutes, final"'],
    [
      'Move a file into another folder',
      'files patch FILE_ID --add-parents FOLDER_ID --remove-parents OLD_FOLDER_ID',
    ],
    ['Star a file', `files patch FILE_ID --body '{"labels": {"starred": true}}'`],
    ['Upload new content', 'files patch FILE_ID minutes.pdf'],
  ],
  'With a path its content changes as well, by an upload of `drv files update`: PATCH has none of its own.',
)
