import {Args, Flags} from '@oclif/core'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {readAll} from '#lib/cli/terminal/io.js'
import {addAliases, aliasFile} from '#lib/config/aliases.js'
import {requiredDirectory} from '#lib/config/paths.js'

export default verb({
  aliases: ['alias add', 'alias create', 'alias new'],
  summary: 'Create an alias for a command line.',
  description:
    'LINE is a command line without drv, in quotes. $1 is replaced with the first argument of the alias, $2 with the second; further arguments are appended. With --shell, or if LINE starts with !, sh runs it, so that it can use pipes, several commands and "$@". An alias cannot have the name of a command.',
  examples: [
    ['Define an alias that lists your own files', "alias set mine 'find / --owner me'"],
    ['Define an alias with an argument', "alias set big 'find $1 --larger 10M'"],
    ['Define an alias for a shell command', "alias set newest '!drv ls -t / | head -n 5'"],
  ],
  args: {
    name: Args.string({description: 'Name of the alias.', required: true, ignoreStdin: true}),
    line: Args.string({
      description: 'Command line to run; - reads it from standard input.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    shell: Flags.boolean({summary: 'Run the line with sh; same as a leading !.', char: 's'}),
    clobber: Flags.boolean({summary: 'Replace an existing alias.'}),
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
    const file = aliasFile(requiredDirectory('config', context.directories))
    if ((await addAliases(file, {[name]: line}, flags.clobber)).length > 0) {
      throw new CommandError(
        'conflict',
        `The alias "${name}" already exists.`,
        'Pass --clobber to replace it.',
      )
    }
    if (printer.isStructured) await printer.record({alias: name, line})
    else context.note(`Created alias ${aliasText(name, line)}`)
  },
})
