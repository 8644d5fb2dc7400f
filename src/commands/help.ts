import {Args} from '@oclif/core'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'Show help for a command, a topic or a page.',
  description:
    'A topic is a group of commands, such as files or local. The pages are paths, formats, scripting, exit-codes and environment.\n\nWith --json, prints help as data for programs: the arguments, flags, examples and effect of a command. Without a name, the data contains every command, the environment variables and the exit codes.',
  usage: 'help [COMMAND|TOPIC|PAGE] [FLAGS]',
  examples: [
    ['Show help for a command', 'help files insert'],
    ['Show the exit codes', 'help exit-codes'],
    ['Get help for a command as JSON', 'help files trash --json'],
    ['List the commands that make changes', `help --jq '.commands[] | select(.isMutating).name'`],
  ],
  args: {
    name: Args.string({
      description: 'Command, topic or page.',
      multiple: true,
      ignoreStdin: true,
    }),
  },
  effect: 'reads',
  usesToken: false,
  async run({args}, {root}, printer) {
    const words = [args.name ?? []].flat()
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
