import {followFlag} from '#lib/cli/input/shared-flags.js'
import {copySteps} from '#lib/cli/verbs/everyday/copy-move.js'
import {recursionFlags} from '#lib/cli/verbs/everyday/path-arguments.js'
import {stepsCommand} from '#lib/cli/verbs/everyday/steps-command.js'
import {planTransfer, transferArgs, transferFlags} from '#lib/cli/verbs/everyday/target.js'

export default stepsCommand('files.copy', {
  everyDay: 8,
  aliases: ['copy', 'copyto'],
  summary: 'Copy files and folders from one place of the service to another.',
  description: [
    'SOURCE is a path, a link or an ID. DEST is a folder that is there, or a new name for the one SOURCE. A folder is put into DEST under its own name; with a slash at its end, what is in it. It is copied file by file, into the folder of its name where there is one.',
    'Never over another file unasked: see --if-exists. What is replaced goes into the trash. A shortcut is copied as what it leads to. From and to this machine `drv push` and `drv pull` copy.',
  ].join('\n\n'),
  usage: 'cp SOURCE... DEST [FLAGS]',
  examples: [
    ['Copy a file into a folder', 'cp /Reports/q3.pdf /Archive'],
    ['Copy it under another name', 'cp /Reports/q3.pdf /Reports/q3-draft.pdf'],
    ['Copy what is in a folder', 'cp /Reports/2026/ /Archive'],
  ],
  args: transferArgs,
  flags: {...transferFlags, ...recursionFlags, ...followFlag},

  plan: (context, given) =>
    planTransfer(
      context,
      given,
      'copy',
      () => undefined,
      (client, sources, placing) => copySteps(client, sources, placing, context.signal),
      {follows: !given.flags['no-follow']},
    ),
})
