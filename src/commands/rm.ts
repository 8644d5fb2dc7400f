import {Flags} from '@oclif/core'
import {operation} from '#lib/api/operations.js'
import {manyFlags} from '#lib/cli/input/items/several.js'
import {everydayCommand, yes} from '#lib/cli/run/operation-command.js'
import {recursionFlags, refuseTop} from '#lib/cli/verbs/everyday/path-arguments.js'

export default everydayCommand('files.trash', {
  everyDay: 10,
  aliases: ['remove', 'del', 'delete', 'trash'],
  summary: 'Put files and folders into the trash; --permanently deletes them.',
  description: [
    'FILE is a path, a link or an ID. A folder goes with all that is in it. `drv restore` takes out of the trash again, by the path that it had.',
    'With --permanently there is no way back: at a terminal it asks, elsewhere it needs --yes.',
  ].join('\n\n'),
  usage: 'rm FILE... [FLAGS]',
  examples: [
    ['Put a file into the trash', 'rm /Reports/q3.pdf'],
    [
      'Delete what is in the trash for good, without a question',
      'rm trash:/q2.pdf --permanently --yes',
    ],
    ['Put what a search finds into the trash', '$ drv find /logs --format ids | drv rm -'],
  ],
  flags: {
    permanently: Flags.boolean({summary: 'Delete for good, without the trash. It asks before.'}),
    yes,
    ...recursionFlags,
    ...manyFlags,
  },
  effect: 'may destroy',
  isBrief: true,
  operationFor: ({permanently}) => operation(permanently ? 'files.delete' : 'files.trash'),
  checkOne: ({args}) =>
    refuseTop(
      String(args.file_id),
      'removed',
      'Name what is in it; `drv drives delete` deletes a shared drive.',
    ),
})
