import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand(
  'files.list',
  [
    ['List the 20 files changed last', 'files list --order-by "modifiedDate desc" --limit 20'],
    [
      'Find files by title, without those in the trash',
      `files list --q "title contains 'q3' and trashed = false"`,
    ],
    ['Get the IDs of all files, one a line', 'files list --all --format ids'],
  ],
  {aliases: []},
)
