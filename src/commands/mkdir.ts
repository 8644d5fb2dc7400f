import {Args, Flags} from '@oclif/core'
import {planFolders} from '#lib/cli/verbs/everyday/make-folders.js'
import {fromFlag, wordsOf} from '#lib/cli/verbs/everyday/path-arguments.js'
import {stepsCommand} from '#lib/cli/verbs/everyday/steps-command.js'

export default stepsCommand('files.insert', {
  everyDay: 7,
  aliases: ['md', 'makedir'],
  summary: 'Make folders.',
  description:
    'PATH is /Folder/NAME in My Drive, drive:NAME/PATH in a shared drive, or ID/NAME below a folder. The folder that it is to be in has to be there, and nothing of its name; with -p what is missing on the way is made too, and a folder that is there is fine.',
  usage: 'mkdir PATH... [FLAGS]',
  examples: [
    ['Make a folder', 'mkdir /Invoices'],
    ['Make those on the way to it, too', 'mkdir -p /Invoices/2026/May'],
    ['Get its ID, new or not', 'mkdir -p /Invoices/2026 --format ids'],
  ],
  args: {
    path: Args.string({
      description: 'The new folder. Several may be named, or - for the lines of standard input.',
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    parents: Flags.boolean({
      summary: 'Make what is missing on the way too; a folder that is there is fine.',
      char: 'p',
    }),
    ...fromFlag,
  },

  async plan(context, {args, flags}) {
    const words = await wordsOf(context, {words: args.path, from: flags.from})
    return planFolders(context, words, Boolean(flags.parents))
  },
})
