import {alignedLines, hanging, INDENT, lineWidth, textOfLines} from '#lib/cli/terminal/layout.js'
import {displayWidth, wrap} from '#lib/cli/terminal/width.js'
import {readConfig} from '#lib/config/config.js'
import {directories, systemHome} from '#lib/config/paths.js'
import {resolveSettings, type Settings} from '#lib/config/settings.js'
import {harmless} from '#lib/platform/sanitize.js'

/** Where one is, as far as it is noted; or in a sentence why that cannot be told. */
export type Standpoint = Settings | {readonly problem: string}

/** What it is, where one is, and what to try, in lines of so many columns. What is to be typed stays on one line. Pure. */
export function aloneText(standpoint: Standpoint, width: number): string {
  const tries = triesFor(standpoint)
  const rows = alignedLines(tries).map(row => INDENT + row)
  return textOfLines([
    ...wrap('drv works with cloud files, from a terminal, a script or a CI job.', width),
    '',
    ...wrap(whereText(standpoint), width),
    '',
    'Try:',
    ...tries.flatMap(([line, words], at) => {
      const row = rows[at]!
      if (displayWidth(row) <= width) return [row]
      return [INDENT + line, ...hanging('', wrap(words, width - 6), 6)]
    }),
    '',
    ...wrap('drv --help shows all that there is.', width),
  ])
}

function whereText(standpoint: Standpoint): string {
  if ('problem' in standpoint) return `The settings cannot be used: ${standpoint.problem}`
  const {profile, embedded, baseUrl, environmentToken, tokenCommand, signIn} = standpoint
  const place = embedded ? 'the service inside drv, on this machine' : baseUrl!
  const where = `${place} (profile "${profile}")`
  if (environmentToken !== undefined) return `The token in DRV_TOKEN is used at ${where}.`
  if (tokenCommand !== undefined) return `The token of DRV_TOKEN_COMMAND is used at ${where}.`
  if (!signIn) return `Not signed in to ${where}.`
  return `Signed in${signIn.user ? ` as ${signIn.user.login}` : ''} to ${where}.`
}

/** A command line, and what it does. */
type Try = readonly [line: string, words: string]

function triesFor(standpoint: Standpoint): readonly Try[] {
  if ('problem' in standpoint) {
    return [
      ['drv auth doctor', 'looks for all that is wrong, and says what to do'],
      ['drv help environment', 'tells the variables that have a say'],
      ['drv auth login --help', 'tells how to sign in somewhere else'],
    ]
  }
  const {embedded, signIn, environmentToken, tokenCommand} = standpoint
  if (signIn || (environmentToken ?? tokenCommand) !== undefined) {
    return [
      ['drv ls', 'lists your files'],
      ['drv push FOLDER /', 'uploads a folder of yours'],
      ["drv find --name '*report*'", 'finds files by a part of their name'],
    ]
  }
  return [
    ['drv auth login', embedded ? 'signs in there; nothing is to be set up' : 'signs in there'],
    embedded
      ? ['drv auth login --help', 'tells how to sign in somewhere else']
      : ['drv auth doctor', 'looks whether the addresses are right'],
    ['drv push FOLDER /', 'then uploads a folder of yours'],
  ]
}

/** Writes what `drv` says that is asked for nothing. */
export async function showAlone(environment: NodeJS.ProcessEnv): Promise<void> {
  const text = aloneText(await standpoint(environment), lineWidth(process.stdout.columns))
  process.stdout.write(harmless(text))
}

/** Where one is, from what is noted: neither the service nor the keychain is asked. */
async function standpoint(environment: NodeJS.ProcessEnv): Promise<Standpoint> {
  try {
    const config = await readConfig(directories(environment, systemHome).config)
    return resolveSettings({flags: {}, env: environment, config})
  } catch (error) {
    return {problem: (error as Error).message}
  }
}
