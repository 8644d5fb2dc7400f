import {planMove} from '#lib/cli/verbs/everyday/copy-move.js'
import {stepsCommand} from '#lib/cli/verbs/everyday/steps-command.js'
import {transferArgs, transferFlags} from '#lib/cli/verbs/everyday/target.js'

export default stepsCommand('files.patch', {
  everyDay: 9,
  aliases: ['move', 'moveto', 'ren'],
  summary: 'Move or rename files and folders within the service.',
  description: [
    'SOURCE is a path, a link or an ID. DEST is an existing folder, or the new name when there is a single SOURCE. A folder is moved into DEST with its contents, or only its contents if SOURCE ends with a slash.',
    'By default, existing files are never replaced without confirmation: see --if-exists. Replaced files go to the trash. To copy to or from this machine, use `drv push` and `drv pull`.',
  ].join('\n\n'),
  usage: 'mv SOURCE... DEST [FLAGS]',
  examples: [
    ['Move a file into a folder', 'mv /Reports/q3.pdf /Archive'],
    ['Rename a file', 'mv /Reports/q3.pdf /Reports/q3-final.pdf'],
    ['Move the contents of a folder', 'mv /Reports/2026/ /Archive'],
  ],
  args: transferArgs,
  flags: transferFlags,

  plan: planMove,
})
