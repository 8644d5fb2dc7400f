import {Args} from '@oclif/core'
import {BaseCommand} from '#lib/cli/run/base-command.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'

export default class Help extends BaseCommand {
  static override effect = 'reads' as const
  static override summary = 'Tell of a command, a topic, or what all commands share.'
  static override description =
    'The pages are paths, formats, scripting, exit-codes and environment. With --json the whole surface is data, or one command: its arguments and flags with their types and values, examples, whether it changes something and whether that can be taken back; of all of drv also the variables and the exit codes.'
  static override usage = 'help [COMMAND|TOPIC|PAGE] [FLAGS]'
  static override examples = examplesOf([
    ['A command, as --help behind it does', 'help files insert'],
    ['What the exit codes say', 'help exit-codes'],
    ['A command for a program', 'help files trash --json'],
    [
      'All commands that change something',
      `help --jq '.commands[] | select(.changesSomething).name'`,
    ],
  ])
  static override args = {
    words: Args.string({
      description: 'Words of a command or a topic, or the name of a page.',
      multiple: true,
      ignoreStdin: true,
    }),
  }

  protected override readonly usesToken = false

  protected override async execute(): Promise<void> {
    const {args} = await this.parse(Help)
    const words = [args.words ?? []].flat()
    const [{helpText, subjectOf}, {readManifest}, {lineWidth}] = await Promise.all([
      import('#lib/cli/help/help-text.js'),
      import('#lib/cli/help/manifest.js'),
      import('#lib/cli/terminal/layout.js'),
    ])
    const manifest = readManifest(this.config.root)
    const subject = subjectOf(words, manifest)
    if (!subject) {
      const {noHelp} = await import('#lib/cli/help/unknown-command.js')
      throw noHelp(words, manifest)
    }
    if (this.printer.isStructured) {
      const {dataOf} = await import('#lib/cli/help/data.js')
      return this.printer.record(dataOf(subject, manifest))
    }
    const width = lineWidth(process.stdout.columns)
    await this.printer.print(helpText(subject, manifest, {width, isWhole: false}))
  }
}
