import {Args, Flags} from '@oclif/core'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {aliasFile} from '#lib/config/aliases.js'
import {requiredDirectory} from '#lib/config/paths.js'

export default verb({
  summary: 'Delete an alias.',
  examples: [
    ['Delete an alias', "$ drv alias set mine 'find / --owner me' && drv alias delete mine"],
  ],
  usage: 'alias delete NAME... | --all [FLAGS]',
  args: {
    name: Args.string({
      description: 'Names of the aliases to delete.',
      multiple: true,
      ignoreStdin: true,
    }),
  },
  flags: {all: Flags.boolean({char: 'a', summary: 'Delete all aliases.'})},
  effect: 'changes',
  usesToken: false,
  columns: ['alias', 'line'],
  async run({flags, words}, context, printer) {
    const {aliasText} = await import('#lib/cli/help/alias-line.js')
    const file = aliasFile(requiredDirectory('config', context.directories))
    const known = file.read() ?? {}
    if (Boolean(flags.all) === words.length > 0)
      throw new UsageError('Pass either the names of aliases or --all.')
    const names = flags.all ? Object.keys(known) : [...new Set(words)]
    const missing = names.find(name => !Object.hasOwn(known, name))
    if (missing !== undefined) {
      throw new CommandError(
        'notFound',
        `The alias "${missing}" does not exist.`,
        'To see all aliases, run `drv alias list`.',
      )
    }
    if (await printer.preview('alias delete', ...names)) return
    await file.update((aliases = {}) =>
      Object.fromEntries(Object.entries(aliases).filter(([name]) => !names.includes(name))),
    )
    const rows = names.map(alias => ({alias, line: known[alias]!}))
    if (printer.isStructured) {
      return names.length === 1 ? printer.record(rows[0]!) : printer.records(rows)
    }
    for (const {alias, line} of rows) context.note(`Deleted alias ${aliasText(alias, line)}`)
  },
})
