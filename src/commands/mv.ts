import {planMove} from '#lib/cli/verbs/everyday/copy-move.js'
import {stepsCommand} from '#lib/cli/verbs/everyday/steps-command.js'
import {transferArgs, transferFlags} from '#lib/cli/verbs/everyday/target.js'

export default stepsCommand('files.patch', {
  everyDay: 9,
  aliases: ['move', 'moveto', 'ren'],
  summary: 'Move files and folders within the service, or give one another name.',
  description: [
    'SOURCE is a path, a link or an ID. DEST is a folder that is there, or a new name for the one SOURCE. A folder is put into DEST with all in it; with a slash at its end, what is in it.',
    'Never over another file unasked: see --if-exists. What is replaced goes into the trash. From and to this machine `drv push` and `drv pull` copy.',
  ].join('\n\n'),
  usage: 'mv SOURCE... DEST [FLAGS]',
  examples: [
    ['Move a file into a folder', 'mv /Reports/q3.pdf /Archive'],
    ['Give it another name', 'mv /Reports/q3.pdf /Reports/q3-final.pdf'],
    ['Move what is in a folder', 'mv /Reports/2026/ /Archive'],
  ],
  args: transferArgs,
  flags: transferFlags,

  plan: planMove,
})
