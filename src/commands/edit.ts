import {planEdit} from '#lib/cli/verbs/content/edit.js'
import {contentFilesArg, filesOf, fromFlag} from '#lib/cli/verbs/everyday/path-arguments.js'
import {stepsCommand} from '#lib/cli/verbs/everyday/steps-command.js'

export default stepsCommand('files.update', {
  aliases: ['vi', 'vim', 'nano'],
  summary: 'Edit files in your editor.',
  description:
    'Downloads the files, opens them in $VISUAL or $EDITOR, and uploads the ones that you changed. A path that does not exist becomes a new file if its folder exists. If someone else changed a file in the meantime, drv does not overwrite it, keeps your text on this machine and exits with code 12.',
  usage: 'edit FILE... [FLAGS]',
  examples: [
    ['Edit a file', 'edit /Reports/notes.txt'],
    ['Edit a file with a program', "$ EDITOR='sed -i s/2025/2026/' drv edit /Reports/notes.txt"],
  ],
  args: contentFilesArg,
  flags: fromFlag,

  async plan(context, {args, flags}) {
    return planEdit(context, await filesOf(context, {words: args.file_id, from: flags.from}))
  },
})
