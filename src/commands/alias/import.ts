import {Args, Flags} from '@oclif/core'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {readAll, readLocalText} from '#lib/cli/terminal/io.js'
import {addAliases, aliasFile} from '#lib/config/aliases.js'
import {requiredDirectory} from '#lib/config/paths.js'
import {isObject, quoteJson} from '#lib/platform/values.js'

const COLUMNS = ['alias', 'line']

export default verb({
  summary: 'Create aliases from a file.',
  description:
    'The file is YAML or JSON with a line for each alias, such as `mine: find / --owner me`, or the output of `drv alias list --json`. If one alias is invalid or exists already, no alias is added.',
  examples: [
    [
      'Create an alias from standard input',
      `$ echo 'mine: find / --owner me' | drv alias import -`,
    ],
  ],
  args: {
    file: Args.string({
      description: 'File with the aliases; - for standard input.',
      default: '-',
      ignoreStdin: true,
    }),
  },
  flags: {clobber: Flags.boolean({summary: 'Replace existing aliases.'})},
  effect: 'changes',
  usesToken: false,
  columns: COLUMNS,
  async run({args, flags}, context, printer) {
    const {aliasText, firstWords, refuseAlias} = await import('#lib/cli/help/alias-line.js')
    const text =
      args.file === '-' ? await readAll(context) : await readLocalText(args.file, context)
    const imported = await aliasesIn(text)
    const commands = await firstWords(context.root)
    for (const [name, line] of imported) refuseAlias(name, line, commands)
    const names = imported.map(([name]) => name)
    if (await printer.preview('alias set', ...names)) return
    const file = aliasFile(requiredDirectory('config', context.directories))
    const existing = await addAliases(file, Object.fromEntries(imported), flags.clobber)
    if (existing.length > 0) {
      throw new CommandError(
        'conflict',
        `Aliases already exist: ${existing.join(', ')}.`,
        'Pass --clobber to replace them.',
      )
    }
    if (printer.isStructured) {
      const rows = imported.map(([alias, line]) => ({alias, line}))
      return printer.records(rows, COLUMNS)
    }
    for (const [name, line] of imported) context.note(`Created alias ${aliasText(name, line)}`)
  },
})

/** The names and lines of a mapping, or of the records of `alias list --json`. Throws `UsageError`. */
async function aliasesIn(text: string): Promise<ReadonlyArray<readonly [string, string]>> {
  const {parse} = await import('yaml')
  let value: unknown
  try {
    value = parse(text)
  } catch (error) {
    throw new UsageError(
      `The file is not valid YAML: ${(error as Error).message.split('\n')[0]!.replace(/:$/, '')}`,
    )
  }
  const pairs: ReadonlyArray<readonly [unknown, unknown]> = Array.isArray(value)
    ? value.map(one => (isObject(one) ? [one.alias ?? one, one.line] : [one, undefined]))
    : Object.entries(isObject(value) ? value : {})
  const read = pairs.flatMap(([name, line]) =>
    typeof name === 'string' && typeof line === 'string' ? [[name, line.trim()] as const] : [],
  )
  if (read.length > 0 && read.length === pairs.length) return read
  const invalid = pairs.find(pair => pair.some(text => typeof text !== 'string'))
  throw new UsageError(
    invalid
      ? `The file contains an invalid entry: ${quoteJson(invalid[0])}.`
      : 'The file contains no aliases.',
    'Write one alias per line, such as `mine: find / --owner me`.',
  )
}
