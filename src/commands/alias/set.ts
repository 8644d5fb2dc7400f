import {Args, Flags} from '@oclif/core'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {readAll} from '#lib/cli/terminal/io.js'
import {aliasFile, splitLine} from '#lib/config/aliases.js'
import {needed} from '#lib/config/paths.js'

export default verb({
  summary: 'Create a shortcut for a command line.',
  description:
    'The line is what you type behind drv, in quotes. $1 stands for the first word behind the alias, $2 for the second; further words follow at the end. An alias cannot have the name of a command.',
  examples: [
    ['List your own files', "alias set mine 'find / --owner me'"],
    ['Take a word', "alias set big 'find $1 --larger 10M'"],
  ],
  args: {
    name: Args.string({description: 'Name of the alias.', required: true, ignoreStdin: true}),
    line: Args.string({
      description: 'What it stands for; - reads it from standard input.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {clobber: Flags.boolean({summary: 'Replace an alias of the same name.'})},
  effect: 'changes',
  usesToken: false,
  columns: ['alias', 'line'],
  async run({args, flags}, context, printer) {
    const {name} = args
    const line = (args.line === '-' ? await readAll(context) : args.line).trim()
    const [command] = splitLine(line) ?? []
    const known = await commandWords(context.root)
    if (!/^[\w][\w-]*$/.test(name)) {
      throw new UsageError(`"${name}" cannot be an alias.`, 'Use letters, digits, - and _.')
    }
    if (known.includes(name)) {
      throw new UsageError(`\`drv ${name}\` is a command.`, 'Give the alias another name.')
    }
    if (command === undefined || !known.includes(command)) {
      throw new UsageError(
        `The line "${line}" does not begin with a command of drv.`,
        `Write what you type behind drv: drv alias set ${name} 'ls -l'.`,
      )
    }
    if (await printer.preview('alias set', name)) return
    const file = aliasFile(needed('config', context.directories))
    if (Object.hasOwn(file.read() ?? {}, name) && !flags.clobber) {
      throw new CommandError(
        'conflict',
        `There is an alias ${name} already.`,
        'Replace it with --clobber.',
      )
    }
    await file.update((aliases = {}) => ({...aliases, [name]: line}))
    if (printer.isStructured) await printer.record({alias: name, line})
    else context.note(`Added the alias ${name}: drv ${line}`)
  },
})

/** The first words of all commands. */
async function commandWords(root: string): Promise<readonly string[]> {
  const {readCommandIndex} = await import('#lib/cli/help/manifest.js')
  return [...new Set(readCommandIndex(root).map(({id}) => id.split(':')[0]!))]
}
