import {join} from 'node:path'
import {isStructured} from '#lib/cli/output/formats.js'
import type {GlobalOptions} from '#lib/cli/output/global-options.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {type Config, readConfig} from '#lib/config/config.js'
import {printable} from '#lib/platform/sanitize.js'
import {DataError} from '#lib/platform/setup-error.js'
import {stateFile} from '#lib/platform/state-file.js'
import {bareWords, systemSentence} from '#lib/platform/system-errors.js'
import type {Context} from './context.js'

/** What is told of the service inside drv to somebody who may not know that it is what answers. */
export const FIRST_USE = `Note: the service inside drv answers: its files are on this machine, and
drv auth login needs no account there. To work with a service elsewhere
(drv auth login --help says what that takes):
  DRV_BASE_URL=https://files.example.com drv auth login --profile NAME`

/** What decides whether that is told. */
export interface FirstUse {
  readonly options: Pick<GlobalOptions, 'quiet' | 'format' | 'profile'>
  readonly environment: NodeJS.ProcessEnv
  readonly config: Config
  /** Standard error is a terminal. */
  readonly isSeen: boolean
  /** It was told before. */
  readonly isKnown: boolean
}

/** Whether it is told: to a person alone, and while nothing was said about where to work. */
export function tellsOfEmbedded({
  options,
  environment,
  config,
  isSeen,
  isKnown,
}: FirstUse): boolean {
  const isForPeople = isSeen && !options.quiet && !isStructured(options.format)
  const named = options.profile || environment.DRV_PROFILE || config.profile
  const isSetUp = Object.keys(config.profiles).length > 0
  return (
    isForPeople &&
    !isKnown &&
    !named &&
    !isSetUp &&
    !environment.DRV_TOKEN &&
    !environment.DRV_TOKEN_COMMAND
  )
}

/** Tells it the first time, and remembers that; where nothing can be kept it is told again. */
export async function noteFirstUse({
  options,
  environment,
  directories: {config, state},
  io,
  note,
}: Pick<Context, 'options' | 'environment' | 'directories' | 'io' | 'note'>): Promise<void> {
  const told = stateFile({
    file: state && join(state, 'embedded-told'),
    parse: () => true,
    format: () => '',
  })
  const isKnown = told.read() === true
  const facts = {options, environment, isSeen: io.progress, isKnown}
  if (!tellsOfEmbedded({...facts, config: await readConfig(config)})) return
  for (const line of FIRST_USE.split('\n')) note(line)
  await told.tryWrite(true)
}

/**
 * Refuses what gives an address of the service inside drv, which ends with the command. Throws
 * `CommandError`; a dry run gives none.
 */
export async function refuseEmbedded({
  settings,
  options,
}: Pick<Context, 'settings' | 'options'>): Promise<void> {
  if (options.dryRun || !(await settings()).embedded) return
  throw new CommandError(
    'failed',
    'The service inside drv has no lasting address: it ends with this command.',
    'Start `drv local serve --port 8080`, then put DRV_BASE_URL=http://127.0.0.1:8080 DRV_TOKEN="$(drv local token)" before this command.',
  )
}

/** What a running service tells of its failures, on the standard error of the command that it runs in. */

/** The same sentence is written again only after so many milliseconds. */
const AGAIN = 60_000

type Log = (error: unknown) => void
type Surroundings = Pick<Context, 'now'> & {
  readonly io: Pick<Context['io'], 'log'>
  readonly options: Pick<GlobalOptions, 'debug'>
}

/**
 * For the `log` of a service that others call: one line for a failure, also with `--quiet`, and no
 * more of that kind while it goes on and on. With `--debug` also where it comes from.
 */
export function failureLog({io, now, options: {debug}}: Surroundings): Log {
  const written = new Map<string, number>()
  return error => {
    const line = `The service failed: ${wordsOf(error)}`
    const at = now()
    for (const [old, time] of written) if (at - time >= AGAIN) written.delete(old)
    if (written.has(line)) return
    written.set(line, at)
    io.log(debug && error instanceof Error ? `${line}\n${error.stack}` : line)
  }
}

/** For a service that only the command itself calls, which tells what it is answered. */
export function innerFailureLog(surroundings: Surroundings): Log {
  const log = failureLog(surroundings)
  return error => {
    if (!(error instanceof DataError)) log(error)
  }
}

function wordsOf(error: unknown): string {
  const {message = String(error)} = (error ?? {}) as Partial<Error>
  if (error instanceof DataError) return printable(message)
  const told = systemSentence(error ?? {})
  return printable(told === undefined ? bareWords(message) : `${told}.`)
}
