import {listCommand} from '../../lib/cli/command/list.js'

export default listCommand('files.list', [
  ['The 20 files changed last', 'files list --order-by "modifiedDate desc" --limit 20'],
  [
    'Files by title, without those in the trash',
    `files list --q "title contains 'report' and trashed = false"`,
  ],
  ['The IDs of all files, one a line', 'files list --all | cut -f 1'],
])
