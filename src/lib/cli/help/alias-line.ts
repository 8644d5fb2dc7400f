import {spawn} from 'node:child_process'
import {constants} from 'node:os'
import {explain, failureText} from '#lib/cli/explain/explain.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {createSay} from '#lib/cli/terminal/say.js'
import {aliasFile, expandAlias, shellLine, splitLine} from '#lib/config/aliases.js'
import {directories, systemHome} from '#lib/config/paths.js'

/**
 * The command line that one with an alias in front stands for; `undefined` where its first word is no
 * alias. A shell alias is run here and ends the process with its code, as does an alias that takes more words.
 */
export async function unaliased([name = '', ...rest]: readonly string[]): Promise<
  readonly string[] | undefined
> {
  const aliases = aliasFile(directories(process.env, systemHome).config).read() ?? {}
  if (!Object.hasOwn(aliases, name)) return undefined
  const line = aliases[name]!
  const shell = shellLine(line)
  if (shell !== undefined) return runShell(shell, rest)
  const words = splitLine(line)
  if (!words) return undefined
  const expansion = expandAlias(words, rest)
  if ('argv' in expansion) return expansion.argv
  return endWith(
    new UsageError(
      `The alias ${name} takes more words: $${expansion.lacks} is missing.`,
      `It stands for: ${line}`,
    ),
  )
}

/** Runs a line of sh with `$1`, `$2`, … and ends as it does. */
async function runShell(line: string, rest: readonly string[]): Promise<never> {
  const child = spawn('sh', ['-c', line, 'drv', ...rest], {stdio: 'inherit'})
  // The terminal sends them to the child as well, which decides.
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) process.on(signal, () => {})
  const code = await new Promise<number>(resolve => {
    child.once('error', error =>
      resolve(endWith(new CommandError('failed', `Cannot run sh: ${error.message}`))),
    )
    child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal!]))
  })
  process.exit(code)
}

function endWith(error: Error): never {
  const failure = explain(error, {flags: [], environmentToken: false})
  createSay(process.stderr, process.env)(failureText(failure))
  process.exit(failure.exit)
}

/** The words that a line can begin with. */
interface FirstWords {
  /** Those of commands, which no alias can have. */
  readonly commands: readonly string[]
  /** Those of other tools, which an alias may have. */
  readonly aliases: readonly string[]
}

/** Throws `UsageError` for an alias that could not be used. */
export function refuseAlias(name: string, line: string, {commands, aliases}: FirstWords): void {
  if (!/^\w[\w-]*$/.test(name)) {
    throw new UsageError(`"${name}" cannot be an alias.`, 'Use letters, digits, - and _.')
  }
  if (commands.includes(name)) {
    throw new UsageError(`\`drv ${name}\` is a command.`, 'Give the alias another name.')
  }
  const shell = shellLine(line)
  if (shell === '') throw new UsageError('The line behind ! is empty.')
  const [command] = splitLine(line) ?? []
  if (
    shell === undefined &&
    (command === undefined || ![...commands, ...aliases].includes(command))
  ) {
    throw new UsageError(
      `The line "${line}" does not begin with a command of drv.`,
      `Write what you type behind drv: drv alias set ${name} 'ls -l'; or a line of a shell behind !.`,
    )
  }
}

/** The words that a line can begin with, from the index of the commands. */
export async function firstWords(root: string): Promise<FirstWords> {
  const [{readCommandIndex}, {aliasesOf}] = await Promise.all([
    import('./manifest.js'),
    import('./command-alias.js'),
  ])
  const index = readCommandIndex(root)
  const commands = [...new Set(index.map(({id}) => id.split(':')[0]!))]
  return {commands, aliases: Object.keys(aliasesOf(index))}
}

/** An alias as people read it. */
export function aliasText(name: string, line: string): string {
  return `${name}: ${shellLine(line) === undefined ? `drv ${line}` : line}`
}
