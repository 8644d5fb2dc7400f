import {readFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import type {Interfaces} from '@oclif/core'
import {
  type HelpRequest,
  readHelpRequest,
  withMethodHelp,
  withoutHelp,
} from './help/help-request.js'
import type {CommandClasses} from './help/oclif-plugin.js'

/**
 * Runs the command line. `bundle` is the path of the bundled program, `classes` its commands. Help and
 * `--version` load neither oclif nor a command.
 */
export async function start(bundle: string, classes: CommandClasses): Promise<void> {
  const root = dirname(dirname(bundle))
  const pjson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Interfaces.PJSON
  const typed = process.argv.slice(2)
  if (['--version', '-V'].includes(typed[0]!) && !readHelpRequest(typed, []))
    return showVersion(pjson)
  const {flagsLast} = await import('./output/global-flags.js')
  const ordered = flagsLast(typed)
  const argv = withMethodHelp((await aliased(ordered, classes, root)) ?? ordered)
  if (argv.length === 0) {
    const {showWelcome} = await import('./help/welcome.js')
    return showWelcome(process.env)
  }
  const asked = readHelpRequest(argv, Object.keys(pjson.oclif.topics ?? {}))
  if (asked && (await isAnswered(asked, root, pjson))) return
  const [{execute, settings}, {pluginFor}, {limitGarbage}] = await Promise.all([
    import('@oclif/core'),
    import('./help/oclif-plugin.js'),
    import('#lib/platform/trim-memory.js'),
  ])
  limitGarbage()
  // Otherwise oclif searches for TypeScript with NODE_ENV=development.
  settings.enableAutoTranspile = false
  // Do not search for plugins.
  const plugins = new Map([[pjson.name, pluginFor(root, pjson, classes)]])
  await execute({
    // For help on an unknown command, oclif's hook prints the error.
    args: asked ? withoutHelp(argv) : argv,
    loadOptions: {root, pjson, plugins, userPlugins: false, devPlugins: false},
  })
}

/**
 * Expands an alias: one of the user, or else one of drv; `undefined` if the first words start a command
 * or are not an alias.
 */
async function aliased(
  argv: readonly string[],
  classes: CommandClasses,
  root: string,
): Promise<readonly string[] | undefined> {
  const [first = '-', second = '-'] = argv
  const begins = (name: string) =>
    Object.keys(classes).some(id => id === name || id.startsWith(`${name}:`))
  if (first.startsWith('-') || Object.hasOwn(classes, first)) return undefined
  const isTopic = begins(first)
  if (isTopic && (second.startsWith('-') || begins(`${first}:${second}`))) return undefined
  const [{unaliased}, {withoutAlias}, {readCommandIndex}] = await Promise.all([
    import('./help/alias-line.js'),
    import('./help/command-alias.js'),
    import('./help/manifest.js'),
  ])
  const own = isTopic ? undefined : await unaliased(argv)
  const line = withoutAlias(own ?? argv, readCommandIndex(root)) ?? own
  if (line) process.argv.splice(2, process.argv.length, ...line)
  return line
}

/** Prints the versions of drv and Node, and the platform. */
function showVersion({name, version}: Interfaces.PJSON): void {
  const {platform, arch, version: node, stdout} = process
  stdout.on('error', () => {})
  stdout.write(`${name}/${version} ${platform}-${arch} node-${node}\n`)
}

/** Shows the requested help without oclif; returns whether it exists. */
async function isAnswered(
  {words, isWhole}: HelpRequest,
  root: string,
  pjson: Interfaces.PJSON,
): Promise<boolean> {
  const [{showHelp, subjectOf}, {manifestOf, readCommand, readCommandIndex}] = await Promise.all([
    import('./help/help-text.js'),
    import('./help/manifest.js'),
  ])
  const index = readCommandIndex(root)
  const commands = Object.fromEntries(index.map(command => [command.id, command]))
  const manifest = manifestOf({commands}, pjson)
  const subject = subjectOf(words, manifest)
  if (!subject) return false
  const whole =
    subject.kind === 'command'
      ? {...subject, command: readCommand(root, subject.command.id)}
      : subject
  showHelp(whole, manifest, isWhole)
  return true
}
