import {Args, Flags} from '@oclif/core'
import {planFolders} from '#lib/cli/verbs/everyday/make-folders.js'
import {fromFlag, pathArguments} from '#lib/cli/verbs/everyday/path-arguments.js'
import {stepsCommand} from '#lib/cli/verbs/everyday/steps-command.js'

export default stepsCommand('files.insert', {
  everyDay: 7,
  aliases: ['md', 'makedir'],
  summary: 'Create folders.',
  description:
    'PATH is /FOLDER/NAME in My Drive, drive:DRIVE/NAME in a shared drive, or ID/NAME in the folder with that ID. The parent folder must exist and the name must be free. -p creates missing parents and accepts an existing folder.',
  usage: 'mkdir PATH... [FLAGS]',
  examples: [
    ['Create a folder', 'mkdir /Invoices'],
    ['Create a folder and its parents', 'mkdir -p /Invoices/2026/May'],
    ['Get the ID of a folder, new or existing', 'mkdir -p /Invoices/2026 --format ids'],
  ],
  args: {
    path: Args.string({
      description: 'Folders to create; - reads them from standard input.',
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    parents: Flags.boolean({
      summary: 'Create missing parents; accept an existing folder.',
      char: 'p',
    }),
    ...fromFlag,
  },

  async plan(context, {args, flags}) {
    const words = await pathArguments(context, {words: args.path, from: flags.from})
    return planFolders(context, words, Boolean(flags.parents))
  },
})
