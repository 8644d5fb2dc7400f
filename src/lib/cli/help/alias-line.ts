import {spawn} from 'node:child_process'
import {constants} from 'node:os'
import {explain, failureText} from '#lib/cli/explain/explain.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {createSay} from '#lib/cli/terminal/say.js'
import {aliasFile, expandAlias, shellLine, splitLine} from '#lib/config/aliases.js'
import {directories, systemHome} from '#lib/config/paths.js'

/**
 * Expands the alias at the start of a command line; `undefined` if the first word is not an alias. A shell
 * alias runs here and ends the process with its exit code. Missing arguments of an alias end the process too.
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
      `Missing argument $${expansion.lacks} of the alias "${name}".`,
      `It is defined as \`${line}\`.`,
    ),
  )
}

/** Runs a line with sh and its arguments `$1`, `$2`, …, then exits with the same code. */
async function runShell(line: string, rest: readonly string[]): Promise<never> {
  const child = spawn('sh', ['-c', line, 'drv', ...rest], {stdio: 'inherit'})
  // The terminal sends these signals to the child too; the child decides whether to end.
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

/** The first words of valid alias lines. */
interface FirstWords {
  /** First words of commands; aliases cannot use them as names. */
  readonly commands: readonly string[]
  /** Commands of other tools; aliases can use them as names. */
  readonly aliases: readonly string[]
}

/** Throws `UsageError` for an invalid alias. */
export function refuseAlias(name: string, line: string, {commands, aliases}: FirstWords): void {
  if (!/^\w[\w-]*$/.test(name)) {
    throw new UsageError(`Invalid alias name "${name}".`, 'Use letters, digits, - and _.')
  }
  if (commands.includes(name)) {
    throw new UsageError(`\`drv ${name}\` is already a command.`, 'Choose another alias name.')
  }
  const shell = shellLine(line)
  if (shell === '') throw new UsageError('The shell command after ! is empty.')
  const [command] = splitLine(line) ?? []
  if (
    shell === undefined &&
    (command === undefined || ![...commands, ...aliases].includes(command))
  ) {
    throw new UsageError(
      `The alias "${name}" does not start with a drv command: "${line}".`,
      `Write the command without drv, as in \`drv alias set ${name} 'ls -l'\`. Start a shell command with !.`,
    )
  }
}

/** Reads the first words from the index of commands. */
export async function firstWords(root: string): Promise<FirstWords> {
  const [{readCommandIndex}, {aliasesOf}] = await Promise.all([
    import('./manifest.js'),
    import('./command-alias.js'),
  ])
  const index = readCommandIndex(root)
  const commands = [...new Set(index.map(({id}) => id.split(':')[0]!))]
  return {commands, aliases: Object.keys(aliasesOf(index))}
}

/** Formats an alias: `NAME: drv LINE`, or `NAME: LINE` for a shell alias. */
export function aliasText(name: string, line: string): string {
  return `${name}: ${shellLine(line) === undefined ? `drv ${line}` : line}`
}
