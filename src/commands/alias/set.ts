import {Args, Flags} from '@oclif/core'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {readAll} from '#lib/cli/terminal/io.js'
import {aliasFile} from '#lib/config/aliases.js'
import {needed} from '#lib/config/paths.js'

export default verb({
  aliases: ['alias add', 'alias create', 'alias new'],
  summary: 'Create a shortcut for a command line.',
  description:
    'LINE is what you type behind drv, in quotes. $1 stands for the first word behind the alias, $2 for the second; further words follow at the end. With ! in front, or with --shell, LINE is run by sh, with pipes and several commands; the words are $1, $2 and "$@" there. An alias cannot have the name of a command.',
  examples: [
    ['List your own files', "alias set mine 'find / --owner me'"],
    ['Take a word', "alias set big 'find $1 --larger 10M'"],
    ['Run a line of the shell', "alias set newest '!drv ls -t / | head -n 5'"],
  ],
  args: {
    name: Args.string({description: 'Name of the alias.', required: true, ignoreStdin: true}),
    line: Args.string({
      description: 'What it stands for; - reads it from standard input.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    shell: Flags.boolean({summary: 'Run the line with sh, as ! in front does.', char: 's'}),
    clobber: Flags.boolean({summary: 'Replace an alias of the same name.'}),
  },
  effect: 'changes',
  usesToken: false,
  columns: ['alias', 'line'],
  async run({args, flags}, context, printer) {
    const {aliasText, firstWords, refuseAlias} = await import('#lib/cli/help/alias-line.js')
    const {name} = args
    const typed = (args.line === '-' ? await readAll(context) : args.line).trim()
    const line = flags.shell && !typed.startsWith('!') ? `!${typed}` : typed
    refuseAlias(name, line, await firstWords(context.root))
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
    else context.note(`Added the alias ${aliasText(name, line)}`)
  },
})
