import {join} from 'node:path'
import {withoutSecrets} from '#lib/cli/terminal/say.js'
import type {Settings} from '#lib/config/settings.js'
import type {ClientHistory} from '#lib/history/client.js'
import {isFull} from '#lib/platform/system-errors.js'
import {commandText} from './command-text.js'
import type {Context, ServiceIdentity} from './context.js'

/** Records the changes of a command for `drv history` and `drv undo`. */

/** How long the history is kept by default, in days. */
export const HISTORY_DAYS = 90

interface Recording extends Pick<
  Context,
  'options' | 'environment' | 'directories' | 'userAgent' | 'now' | 'newId' | 'typed'
> {
  readonly settings: Settings
  /** The service that replaces the profile's. */
  readonly counterpart?: ServiceIdentity
  readonly noteOnce: (text: string) => void
}

/** The directory of the history; `undefined` without a home directory. */
export function historyDirectory({state}: Context['directories']): string | undefined {
  return state && join(state, 'history')
}

/** The history of a command; `undefined` if it is turned off or there is no directory for it. */
export async function commandHistory(recording: Recording): Promise<ClientHistory | undefined> {
  const {options, environment, directories, userAgent, now, newId, settings} = recording
  const directory = historyDirectory(directories)
  if (options.noHistory || options.dryRun || directory === undefined) return undefined
  const {createClientHistory} = await import('#lib/history/client.js')
  const {days = HISTORY_DAYS, full: isFull = false} = settings.history ?? {}
  return createClientHistory({
    isFull,
    onLoss: error => recording.noteOnce(historyLossText(directory, error)),
    async open() {
      const {openHistoryFile} = await import('#lib/history/file.js')
      const {user} = settings.signIn ?? {}
      const time = now()
      return {
        file: await openHistoryFile(directory, {
          days,
          now: time,
          hide: text => withoutSecrets(text, environment),
        }),
        start: {
          run: newId().replaceAll('-', '').slice(0, 10),
          time: new Date(time).toISOString(),
          profile: settings.profile,
          service: serviceOf(recording),
          ...(user && !settings.environmentToken && {account: user}),
          command: commandText(recording),
          drv: userAgent.replace(/^drv\//, ''),
        },
      }
    },
  })
}

/** The service that the changes belong to: `local`, or its origin. */
function serviceOf({settings, counterpart}: Recording): string {
  const {baseUrl} = counterpart ?? {}
  return baseUrl === undefined ? settings.binding : new URL(baseUrl).origin
}

/** The warning for an error on writing the history. */
function historyLossText(directory: string, error: unknown): string {
  const {code = '', message} = error as NodeJS.ErrnoException
  const why = isFull(code) ? 'the disk is full' : code === '' ? message : 'it is not writable'
  return `Warning: cannot record changes in ${directory} (${why}). \`drv undo\` cannot undo this command.`
}
