import {Args} from '@oclif/core'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'Tell of a command, a topic, or what all commands share.',
  description:
    'The pages are paths, formats, scripting, exit-codes and environment. With --json the whole surface is data, or one command: its arguments and flags with their types and values, examples, whether it changes something and whether that can be taken back; of all of drv also the variables and the exit codes.',
  usage: 'help [COMMAND|TOPIC|PAGE] [FLAGS]',
  examples: [
    ['A command, as --help behind it does', 'help files insert'],
    ['What the exit codes say', 'help exit-codes'],
    ['A command for a program', 'help files trash --json'],
    ['All commands that change something', `help --jq '.commands[] | select(.isMutating).name'`],
  ],
  args: {
    words: Args.string({
      description: 'Words of a command or a topic, or the name of a page.',
      multiple: true,
      ignoreStdin: true,
    }),
  },
  effect: 'reads',
  usesToken: false,
  async run({args}, {root}, printer) {
    const words = [args.words ?? []].flat()
    const [{helpText, subjectOf}, {readManifest}, {lineWidth}] = await Promise.all([
      import('#lib/cli/help/help-text.js'),
      import('#lib/cli/help/manifest.js'),
      import('#lib/cli/terminal/layout.js'),
    ])
    const manifest = readManifest(root)
    const subject = subjectOf(words, manifest)
    if (!subject) {
      const {noHelp} = await import('#lib/cli/help/unknown-command.js')
      throw noHelp(words, manifest)
    }
    if (printer.isStructured) {
      const {dataOf} = await import('#lib/cli/help/data.js')
      return printer.record(dataOf(subject, manifest))
    }
    const width = lineWidth(process.stdout.columns)
    await printer.print(helpText(subject, manifest, {width, isWhole: false}))
  },
})
