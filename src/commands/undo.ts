import {Args, Flags} from '@oclif/core'
import {yesFlag} from '#lib/cli/run/operation-command.js'
import {verb} from '#lib/cli/run/verb.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {runUndo, UNDO_COLUMNS} from '#lib/cli/verbs/history/undo.js'

export default verb({
  summary: 'Undo the last command, or commands from the history.',
  description: [
    'Undoes the last command that changed something, has not been undone and is not an undo itself, or the commands with these IDs from `drv history`. Before it asks for confirmation, it shows what it will change, and what it cannot undo, such as permanent deletions and emails.',
    'Skips items that someone changed later, unless --force names them. Also skips a folder that the command created if an item in it is skipped. The skipped items are reported as conflicts: exit code 12 if conflicts are the only problems, otherwise 9. If some changes cannot be undone, it undoes the others and ends with exit code 9. An undo is recorded in the history too, so you can undo it as far as its changes can be undone.',
  ].join('\n\n'),
  usage: 'undo [ID...] [FLAGS]',
  examples: [
    ['Preview undoing the last command', '$ drv rm /Reports/q3.pdf && drv undo --dry-run'],
    ['Undo the last command without confirmation', '$ drv rm /Reports/q3.pdf && drv undo --yes'],
  ],
  args: {
    id: Args.string({
      description: 'IDs of commands, or unique prefixes of IDs (default: the last command).',
      ignoreStdin: true,
      multiple: true,
    }),
  },
  flags: {
    force: ranked(
      0,
      Flags.string({
        summary: 'Also undo changes to this item if someone changed it later; may be repeated.',
        helpValue: 'ITEM',
        multiple: true,
      }),
    ),
    yes: yesFlag,
  },
  effect: 'may destroy',
  isPlannable: true,
  columns: UNDO_COLUMNS,
  async run({args, flags}, context, printer) {
    const ids = [args.id ?? []].flat().map(String)
    await runUndo(context, printer, {ids, forced: flags.force ?? [], isYes: flags.yes ?? false})
  },
})
