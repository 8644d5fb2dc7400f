import {Args, Flags} from '@oclif/core'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {readAll, readLocalText} from '#lib/cli/terminal/io.js'
import {aliasFile} from '#lib/config/aliases.js'
import {needed} from '#lib/config/paths.js'
import {isObject} from '#lib/platform/values.js'

const COLUMNS = ['alias', 'line']

export default verb({
  summary: 'Create aliases from a file.',
  description:
    'The file is YAML or JSON, a line for each alias, such as `mine: find / --owner me`. `drv alias list --json` on another machine writes one that is taken, too. Nothing is added where one of them cannot be.',
  examples: [['Take over aliases', `$ echo 'mine: find / --owner me' | drv alias import -`]],
  args: {
    file: Args.string({
      description: 'File with the aliases; - for standard input.',
      default: '-',
      ignoreStdin: true,
    }),
  },
  flags: {clobber: Flags.boolean({summary: 'Replace aliases of the same names.'})},
  effect: 'changes',
  usesToken: false,
  columns: COLUMNS,
  async run({args, flags}, context, printer) {
    const {aliasText, firstWords, refuseAlias} = await import('#lib/cli/help/alias-line.js')
    const text =
      args.file === '-' ? await readAll(context) : await readLocalText(args.file, context)
    const given = await aliasesIn(text)
    const commands = await firstWords(context.root)
    for (const [name, line] of given) refuseAlias(name, line, commands)
    const names = given.map(([name]) => name)
    if (await printer.preview('alias set', ...names)) return
    const file = aliasFile(needed('config', context.directories))
    const known = file.read() ?? {}
    const taken = names.filter(name => Object.hasOwn(known, name))
    if (taken.length > 0 && !flags.clobber) {
      throw new CommandError(
        'conflict',
        `There are aliases of these names already: ${taken.join(', ')}.`,
        'Replace them with --clobber.',
      )
    }
    await file.update((aliases = {}) => ({...aliases, ...Object.fromEntries(given)}))
    if (printer.isStructured) {
      const rows = given.map(([alias, line]) => ({alias, line}))
      return printer.records(rows, COLUMNS)
    }
    for (const [name, line] of given) context.note(`Added the alias ${aliasText(name, line)}`)
  },
})

/** Names and lines: a mapping, or the records that `alias list` writes. Throws `UsageError`. */
async function aliasesIn(text: string): Promise<ReadonlyArray<readonly [string, string]>> {
  const {parse} = await import('yaml')
  let value: unknown
  try {
    value = parse(text)
  } catch (error) {
    throw new UsageError(
      `This is no YAML: ${(error as Error).message.split('\n')[0]!.replace(/:$/, '')}`,
    )
  }
  const pairs: ReadonlyArray<readonly [unknown, unknown]> = Array.isArray(value)
    ? value.map(one => (isObject(one) ? [one.alias, one.line] : [one, undefined]))
    : Object.entries(isObject(value) ? value : {})
  const read = pairs.flatMap(([name, line]) =>
    typeof name === 'string' && typeof line === 'string' ? [[name, line.trim()] as const] : [],
  )
  if (read.length > 0 && read.length === pairs.length) return read
  throw new UsageError(
    'The file has to name aliases with their lines.',
    'Write one on each line: mine: find / --owner me',
  )
}
