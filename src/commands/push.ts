import {Args, Flags} from '@oclif/core'
import {refuseDelete} from '#lib/cli/guard/confirm-destroying.js'
import {refuseChanges} from '#lib/cli/guard/read-only.js'
import {followFlag} from '#lib/cli/input/shared-flags.js'
import {verb} from '#lib/cli/run/verb.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {pushTree} from '#lib/cli/verbs/trees/push.js'
import {treeColumns, treeFlags} from '#lib/cli/verbs/trees/tree-run.js'

export default verb({
  everyDay: 15,
  aliases: ['upload', 'put'],
  summary: 'Upload files and whole folders; what is there already is skipped.',
  description: [
    'REMOTE is a folder (a path such as /Reports/2026 or drive:Finance/2026, a link, or an ID), or for a single file its new name: /Reports/q4.pdf. A file that exists gets new content. Missing folders of a path are created. A folder is put into REMOTE under its own name; with a slash at its end, its contents.',
    'Files of the same size and MD5 are skipped, others of the same name get new content. Local links are left out; a shortcut of the same name counts as what it leads to.',
    'Run it again after a failure or Ctrl-C: only what is left is done. Ends with code 9 when some files failed.',
  ].join('\n\n'),
  usage: 'push LOCAL... REMOTE [FLAGS]',
  examples: [
    ['Upload a folder into another', 'push photos /Archive'],
    ['Upload what is in a folder', 'push photos/ /Archive/photos'],
    ['Upload a file under another name', 'push report.pdf /Reports/q4.pdf'],
    ['Upload what another program writes', '$ date | drv push - /Reports/date.txt'],
    [
      'Put what is not here into the trash, too, without a question',
      'push photos/ /Archive/photos --delete --yes',
    ],
  ],
  args: {
    local: Args.string({
      description: 'Files and folders to upload; - for standard input.',
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
    remote: Args.string({
      description: 'Folder to put them into, or the new name of a single file.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    ...treeFlags,
    ...followFlag,
    convert: ranked(
      21,
      Flags.boolean({
        summary: 'Convert new files into editor documents where the service can.',
      }),
    ),
    delete: ranked(
      17,
      Flags.boolean({
        summary: 'Put into the trash what the pushed folders have there, but not here.',
      }),
    ),
  },
  effect: 'changes',
  columns: treeColumns,
  async run({args, flags}, context, printer) {
    await refuseChanges(context, '`drv push`')
    refuseDelete(context, flags)
    await pushTree(context, printer, [args.local].flat(), args.remote, flags)
  },
})
