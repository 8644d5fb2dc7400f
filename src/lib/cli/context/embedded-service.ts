import {join} from 'node:path'
import {isStructured} from '#lib/cli/output/formats.js'
import type {GlobalOptions} from '#lib/cli/output/global-options.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {type Config, readConfig} from '#lib/config/config.js'
import {requiredDirectory} from '#lib/config/paths.js'
import {printable} from '#lib/platform/sanitize.js'
import {DataError} from '#lib/platform/setup-error.js'
import {stateFile} from '#lib/platform/state-file.js'
import {errorWords, systemSentence} from '#lib/platform/system-errors.js'
import type {Addresses, Context} from './context.js'

/** A notice for users who may not know that drv uses its local service by default. */
export const FIRST_USE = `Note: drv is using its local service: files are stored on this machine, and no
registration is needed. To use another service, see \`drv auth login --help\`:
  DRV_BASE_URL=https://files.example.com drv auth login --profile NAME`

/** The conditions for the notice. */
export interface FirstUse {
  readonly options: Pick<GlobalOptions, 'quiet' | 'format' | 'profile'>
  readonly environment: NodeJS.ProcessEnv
  readonly config: Config
  /** Standard error is a terminal. */
  readonly isSeen: boolean
  /** The notice was shown before. */
  readonly isKnown: boolean
}

/** Whether to show the notice: only at a terminal, and only if no profile, service or token is configured. */
export function isFirstUseNoticeDue({
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

/** Shows the notice once. Shows it again if the state directory is not writable. */
export async function saveFirstUse({
  options,
  environment,
  directories: {config, state},
  io,
  note,
}: Pick<Context, 'options' | 'environment' | 'directories' | 'io' | 'note'>): Promise<void> {
  const shown = stateFile({
    file: state && join(state, 'embedded-told'),
    parse: () => true,
    format: () => '',
  })
  const isKnown = shown.read() === true
  const conditions = {options, environment, isSeen: io.progress, isKnown}
  if (!isFirstUseNoticeDue({...conditions, config: await readConfig(config)})) return
  for (const line of FIRST_USE.split('\n')) note(line)
  await shown.tryWrite(true)
}

/** Runs the service with the default data directory until the command ends. */
export async function startEmbeddedService(
  context: Parameters<typeof saveFirstUse>[0] & Pick<Context, 'onEnd'>,
): Promise<Addresses> {
  const {options, directories, io, note, onEnd} = context
  const {createService} = await import('#lib/service/index.js')
  await saveFirstUse(context)
  const data = requiredDirectory('data', directories)
  const log = localServiceFailureLog({io: {log: io.say}, now: Date.now, options})
  const service = await createService({data, log, notice: note, isOwned: true})
  onEnd(() => service.close())
  return {baseUrl: service.url, authUrl: service.url, owner: service.owner}
}

/**
 * Throws `CommandError` for a command that prints a URL of the embedded service, because the URL stops
 * working when the command ends. Accepts a dry run, which prints no URL.
 */
export async function refuseEmbedded({
  settings,
  options,
}: Pick<Context, 'settings' | 'options'>): Promise<void> {
  if (options.dryRun || !(await settings()).embedded) return
  throw new CommandError(
    'failed',
    'The URL would stop working when this command ends: the local service runs only as long as the command.',
    'Start `drv local serve --port 8080`, then run this command with DRV_BASE_URL=http://127.0.0.1:8080 DRV_TOKEN="$(drv local token)".',
  )
}

/** Logs internal errors of a running service to the standard error of its command. */

/** Milliseconds until the same message is logged again. */
const AGAIN = 60_000

type Log = (error: unknown) => void
type LogContext = Pick<Context, 'now'> & {
  readonly io: Pick<Context['io'], 'log'>
  readonly options: Pick<GlobalOptions, 'debug'>
}

/**
 * The log of a service that other programs call: one line per error, even with `--quiet`, and at most
 * one line per minute for the same error. `--debug` adds the stack trace.
 */
export function failureLog({io, now, options: {debug}}: LogContext): Log {
  const written = new Map<string, number>()
  return error => {
    const line = `The service failed: ${messageOf(error)}`
    const at = now()
    for (const [old, time] of written) if (at - time >= AGAIN) written.delete(old)
    if (written.has(line)) return
    written.set(line, at)
    io.log(debug && error instanceof Error ? `${line}\n${error.stack}` : line)
  }
}

/** The log of a service that only the command calls. It omits `DataError`, which the command reports itself. */
export function localServiceFailureLog(context: LogContext): Log {
  const log = failureLog(context)
  return error => {
    if (!(error instanceof DataError)) log(error)
  }
}

function messageOf(error: unknown): string {
  const {message = String(error)} = (error ?? {}) as Partial<Error>
  if (error instanceof DataError) return printable(message)
  const sentence = systemSentence(error ?? {})
  return printable(sentence === undefined ? errorWords(message) : `${sentence}.`)
}
