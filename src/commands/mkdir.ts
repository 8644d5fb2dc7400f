import {Args, Flags} from '@oclif/core'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'
import {planFolders} from '#lib/cli/verbs/everyday/make-folders.js'
import {fromFlag, wordsOf} from '#lib/cli/verbs/everyday/path-arguments.js'
import {stepsCommand} from '#lib/cli/verbs/everyday/steps-command.js'

const Steps = stepsCommand('files.insert', {name: 'mkdir'})

export default class Mkdir extends Steps {
  static override summary = 'Make folders.'
  static override description =
    'PATH is /Folder/NAME in My Drive, drive:NAME/PATH in a shared drive, or ID/NAME below a folder. The folder that it is to be in has to be there, and nothing of its name; with -p what is missing on the way is made too, and a folder that is there is fine.'
  static override usage = 'mkdir PATH... [FLAGS]'
  static override examples = examplesOf([
    ['Make a folder', 'mkdir /Invoices'],
    ['Make those on the way to it, too', 'mkdir -p /Invoices/2026/May'],
    ['Get its ID, new or not', 'mkdir -p /Invoices/2026 --format ids'],
  ])
  static override args = {
    path: Args.string({
      description: 'The new folder. Several may be named, or - for the lines of standard input.',
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    parents: Flags.boolean({
      summary: 'Make what is missing on the way too; a folder that is there is fine.',
      char: 'p',
    }),
    ...fromFlag,
  }

  protected override async plan({args, flags}: Parsed) {
    const words = await wordsOf(this.context, {words: args.path, from: flags.from})
    return planFolders(this.context, words, Boolean(flags.parents))
  }
}
