import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand(
  'files.list',
  [
    [
      'List the 20 most recently changed files',
      'files list --order-by "modifiedDate desc" --limit 20',
    ],
    [
      'Find files by title, excluding trashed files',
      `files list --q "title contains 'q3' and trashed = false"`,
    ],
    ['Print the IDs of all files, one per line', 'files list --all --format ids'],
  ],
  {aliases: []},
)
