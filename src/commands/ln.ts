import {Args, Flags} from '@oclif/core'
import {shortcutSteps} from '#lib/cli/verbs/everyday/copy-move.js'
import {stepsCommand} from '#lib/cli/verbs/everyday/steps-command.js'
import {planTransfer, transferArgs, transferFlags} from '#lib/cli/verbs/everyday/target.js'

export default stepsCommand('files.insert', {
  summary: 'Create shortcuts to files and folders.',
  description:
    'SOURCE is a path, a link or an ID. DEST is an existing folder, or the name of the shortcut when there is a single SOURCE. drv creates shortcuts, with or without -s; there are no symbolic or hard links.',
  usage: 'ln [-s] SOURCE... DEST [FLAGS]',
  examples: [
    ['Create a shortcut in a folder', 'ln -s /Reports/q3.pdf /Archive'],
    ['Create a shortcut under another name', 'ln -s /Reports/2026 /Archive/this-year'],
  ],
  args: {
    ...transferArgs,
    dest: Args.string({
      description: 'Existing folder, or the name of the shortcut when there is a single SOURCE.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    symbolic: Flags.boolean({
      summary: 'Accepted for compatibility; drv always creates shortcuts.',
      char: 's',
    }),
    force: Flags.boolean({summary: 'Same as --if-exists replace.', char: 'f'}),
    ...transferFlags,
  },

  async plan(context, input) {
    const {args, flags} = input
    const sources = [args.source ?? []].flat().map(String)
    const ifExists = flags['if-exists'] ?? (flags.force ? 'replace' : undefined)
    // A trailing slash has no meaning here: the shortcut is to the folder, not to its contents.
    const source = sources.map(word => word.replace(/(?<=.)\/+$/, ''))
    const wanted = {args: {...args, source}, flags: {...flags, 'if-exists': ifExists}}
    return planTransfer(context, wanted, 'link', () => undefined, shortcutSteps, {
      mayNest: true,
      // The target of a shortcut cannot be another shortcut.
      follows: true,
    })
  },
})
