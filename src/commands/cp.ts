import {Flags} from '@oclif/core'
import {noFollowFlag} from '#lib/cli/input/shared-flags.js'
import {copySteps} from '#lib/cli/verbs/everyday/copy-move.js'
import {recursionFlags} from '#lib/cli/verbs/everyday/path-arguments.js'
import {stepsCommand} from '#lib/cli/verbs/everyday/steps-command.js'
import {planTransfer, transferArgs, transferFlags} from '#lib/cli/verbs/everyday/target.js'

export default stepsCommand('files.copy', {
  everyDay: 8,
  aliases: ['copy', 'copyto'],
  summary: 'Copy files and folders within the service.',
  description: [
    'SOURCE is a path, a link or an ID. DEST is an existing folder, or the new name when there is a single SOURCE. A folder is copied into DEST under its own name, or only its contents if SOURCE ends with a slash. If DEST has a folder of the same name, the two are merged.',
    'By default, existing files are never replaced without confirmation: see --if-exists. Replaced files go to the trash. A shortcut is copied as its target. To copy to or from this machine, use `drv push` and `drv pull`.',
  ].join('\n\n'),
  usage: 'cp SOURCE... DEST [FLAGS]',
  examples: [
    ['Copy a file into a folder', 'cp /Reports/q3.pdf /Archive'],
    ['Copy a file under another name', 'cp /Reports/q3.pdf /Reports/q3-draft.pdf'],
    ['Copy the contents of a folder', 'cp /Reports/2026/ /Archive'],
  ],
  args: transferArgs,
  flags: {
    ...transferFlags,
    ...recursionFlags,
    force: Flags.boolean({
      summary: 'Accepted for compatibility; to replace existing files, use --if-exists replace.',
      char: 'f',
    }),
    ...noFollowFlag(),
  },

  plan: (context, input) =>
    planTransfer(
      context,
      input,
      'copy',
      () => undefined,
      (client, sources, placing) => copySteps(client, sources, placing, context.signal),
      {follows: !input.flags['no-follow']},
    ),
})
