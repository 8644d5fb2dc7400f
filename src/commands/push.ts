import {Args, Flags} from '@oclif/core'
import {refuseDelete} from '#lib/cli/guard/confirm-destroying.js'
import {refuseChanges} from '#lib/cli/guard/read-only.js'
import {noFollowFlag} from '#lib/cli/input/shared-flags.js'
import {verb} from '#lib/cli/run/verb.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {pushTree} from '#lib/cli/verbs/trees/push.js'
import {treeColumns, treeFlags} from '#lib/cli/verbs/trees/tree-run.js'

export default verb({
  everyDay: 15,
  aliases: ['upload', 'put'],
  summary: 'Upload files and folders, skipping unchanged files.',
  description: [
    'REMOTE is a folder (a path such as /Reports/2026 or drive:Finance/2026, a link, or an ID), created if missing, or the new path of a single file, such as /Reports/q4.pdf. A folder is uploaded into REMOTE under its own name, or only its contents if LOCAL ends with a slash.',
    'Remote files with the same size and MD5 are skipped; others with the same name get new content. Local symbolic links are skipped. A remote shortcut with the same name is treated as its target.',
    'With --follow, LOCAL is a single folder. Files and folders that you rename or move locally are renamed or moved in the service, without being uploaded again. A file that has changed on both sides is uploaded beside the other version under a name that contains "conflict". With --delete, files that you remove locally after their upload are moved to the trash.',
    'After a failure or Ctrl-C, run the same command again to finish the rest. Exits with code 9 if some files failed.',
  ].join('\n\n'),
  usage: 'push LOCAL... REMOTE [FLAGS]',
  examples: [
    ['Upload a folder into another', 'push photos /Archive'],
    ['Upload a file under another name', 'push report.pdf /Reports/q4.pdf'],
    ['Upload the output of a program', '$ date | drv push - /Reports/date.txt'],
    ['Keep a remote folder up to date', 'push photos/ /Archive/photos --follow'],
    [
      'Also trash remote files that are missing locally, without confirmation',
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
      description: 'Folder to upload to, or the new path of a single file.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    ...treeFlags,
    ...noFollowFlag('Never write to the target of a shortcut; report an error instead.'),
    follow: ranked(
      22,
      Flags.boolean({
        summary: 'Keep running, and upload each local change once it has settled.',
      }),
    ),
    convert: ranked(
      21,
      Flags.boolean({
        summary: 'Convert new files to editor documents where supported.',
      }),
    ),
    delete: ranked(
      17,
      Flags.boolean({
        summary: 'Trash remote files that are missing locally.',
      }),
    ),
  },
  effect: 'changes',
  isPlannable: true,
  columns: treeColumns,
  async run({args, flags}, context, printer) {
    await refuseChanges(context, '`drv push`')
    refuseDelete(context, flags)
    if (flags.follow) {
      const {followPush} = await import('#lib/cli/verbs/trees/follow/push-follow.js')
      return followPush(context, printer, [args.local].flat(), args.remote, flags)
    }
    await pushTree(context, printer, [args.local].flat(), args.remote, flags)
  },
})
