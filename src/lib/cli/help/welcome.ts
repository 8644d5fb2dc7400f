import {alignedLines, hanging, INDENT, lineWidth, textOfLines} from '#lib/cli/terminal/layout.js'
import {displayWidth, wrap} from '#lib/cli/terminal/width.js'
import {readConfig} from '#lib/config/config.js'
import {directories, systemHome} from '#lib/config/paths.js'
import {resolveSettings, type Settings} from '#lib/config/settings.js'
import {harmless} from '#lib/platform/sanitize.js'

/** The settings in effect, or the reason why they cannot be read. */
export type Status = Settings | {readonly problem: string}

/**
 * The text of `drv` without arguments: its purpose, the current service, and commands to try, wrapped at
 * `width` columns. Commands are never broken. Pure.
 */
export function welcomeText(status: Status, width: number): string {
  const tries = triesFor(status)
  const rows = alignedLines(tries).map(row => INDENT + row)
  return textOfLines([
    ...wrap('Work with cloud files from a terminal, a script or a CI job.', width),
    '',
    ...wrap(whereText(status), width),
    '',
    'Try:',
    ...tries.flatMap(([line, words], at) => {
      const row = rows[at]!
      if (displayWidth(row) <= width) return [row]
      return [INDENT + line, ...hanging('', wrap(words, width - 6), 6)]
    }),
    '',
    ...wrap('Run `drv --help` to see all commands.', width),
  ])
}

function whereText(status: Status): string {
  if ('problem' in status) return `Invalid settings: ${status.problem}`
  const {profile, embedded, baseUrl, environmentToken, tokenCommand, signIn} = status
  const place = embedded ? 'the local service on this machine' : baseUrl!
  const where = `${place} (profile "${profile}")`
  if (environmentToken !== undefined) return `Using the token in DRV_TOKEN for ${where}.`
  if (tokenCommand !== undefined) return `Using the token from DRV_TOKEN_COMMAND for ${where}.`
  if (!signIn) return `Not signed in to ${where}.`
  return `Signed in${signIn.user ? ` as ${signIn.user.login}` : ''} to ${where}.`
}

/** A command line, and its description. */
type Try = readonly [line: string, words: string]

function triesFor(status: Status): readonly Try[] {
  if ('problem' in status) {
    return [
      ['drv auth doctor', 'find and explain configuration problems'],
      ['drv help environment', 'list the environment variables'],
      ['drv auth login --help', 'show how to sign in to another service'],
    ]
  }
  const {embedded, signIn, environmentToken, tokenCommand} = status
  if (signIn || (environmentToken ?? tokenCommand) !== undefined) {
    return [
      ['drv ls', 'list your files'],
      ['drv push FOLDER /', 'upload a local folder'],
      ["drv find --name '*report*'", 'find files by name'],
    ]
  }
  return [
    ['drv auth login', embedded ? 'sign in; no setup needed' : 'sign in'],
    embedded
      ? ['drv auth login --help', 'show how to sign in to another service']
      : ['drv auth doctor', 'check the URLs'],
    ['drv push FOLDER /', 'upload a local folder'],
  ]
}

/** Prints the text of `drv` without arguments. */
export async function showWelcome(environment: NodeJS.ProcessEnv): Promise<void> {
  const text = welcomeText(await status(environment), lineWidth(process.stdout.columns))
  process.stdout.write(harmless(text))
}

/** The settings in effect, from files and environment; sends no request and reads no keychain. */
async function status(environment: NodeJS.ProcessEnv): Promise<Status> {
  try {
    const config = await readConfig(directories(environment, systemHome).config)
    return resolveSettings({flags: {}, env: environment, config})
  } catch (error) {
    return {problem: (error as Error).message}
  }
}
