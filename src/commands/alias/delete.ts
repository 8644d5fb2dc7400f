import {Args} from '@oclif/core'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {aliasFile} from '#lib/config/aliases.js'
import {needed} from '#lib/config/paths.js'

export default verb({
  summary: 'Delete an alias.',
  examples: [
    ['Delete an alias', "$ drv alias set mine 'find / --owner me' && drv alias delete mine"],
  ],
  args: {
    name: Args.string({description: 'Name of the alias.', required: true, ignoreStdin: true}),
  },
  effect: 'changes',
  usesToken: false,
  columns: ['alias', 'line'],
  async run({args: {name}}, context, printer) {
    const file = aliasFile(needed('config', context.directories))
    const line = (file.read() ?? {})[name]
    if (line === undefined) {
      throw new CommandError(
        'notFound',
        `There is no alias ${name}.`,
        '`drv alias list` shows all of them.',
      )
    }
    if (await printer.preview('alias delete', name)) return
    await file.update((aliases = {}) => {
      const {[name]: _, ...rest} = aliases
      return rest
    })
    if (printer.isStructured) await printer.record({alias: name, line})
    else context.note(`Deleted the alias ${name}: drv ${line}`)
  },
})
