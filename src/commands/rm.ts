import {Flags} from '@oclif/core'
import {operation} from '#lib/api/operations.js'
import {manyFlags} from '#lib/cli/input/items/several.js'
import {everydayCommand, yesFlag} from '#lib/cli/run/operation-command.js'
import {recursionFlags, refuseRoot} from '#lib/cli/verbs/everyday/path-arguments.js'

export default everydayCommand('files.trash', {
  everyDay: 10,
  aliases: ['remove', 'del', 'delete', 'trash'],
  summary: 'Move files and folders to the trash, or delete them permanently.',
  description: [
    'FILE is a path, a link or an ID. Folders are removed with their contents. To restore from the trash, run `drv restore` with the former path.',
    '--permanently cannot be undone: drv asks for confirmation at a terminal and requires --yes elsewhere.',
  ].join('\n\n'),
  usage: 'rm FILE... [FLAGS]',
  examples: [
    ['Move a file to the trash', 'rm /Reports/q3.pdf'],
    [
      'Permanently delete a file in the trash, without confirmation',
      'rm trash:/q2.pdf --permanently --yes',
    ],
    ['Move the files that a search finds to the trash', '$ drv find /logs --format ids | drv rm -'],
  ],
  flags: {
    permanently: Flags.boolean({
      summary: 'Delete permanently instead of moving to the trash; asks for confirmation.',
    }),
    yes: yesFlag,
    ...recursionFlags,
    ...manyFlags,
  },
  effect: 'may destroy',
  isBrief: true,
  operationFor: ({permanently}) => operation(permanently ? 'files.delete' : 'files.trash'),
  checkOne: ({args}) =>
    refuseRoot(
      String(args.file_id),
      'remove',
      'To remove its contents, pass the items in it instead. To delete a shared drive, run `drv drives delete`.',
    ),
})
