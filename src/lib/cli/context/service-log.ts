import type {GlobalOptions} from '#lib/cli/output/global-options.js'
import {printable} from '#lib/platform/sanitize.js'
import {DataError} from '#lib/platform/setup-error.js'
import {bareWords, systemSentence} from '#lib/platform/system-errors.js'
import type {Context} from './context.js'

/** What a running service tells of its failures, on the standard error of the command that it runs in. */

/** The same sentence is written again only after so many milliseconds. */
const AGAIN = 60_000

type Log = (error: unknown) => void
type Surroundings = Pick<Context, 'now'> & {
  readonly io: Pick<Context['io'], 'say'>
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
    io.say(debug && error instanceof Error ? `${line}\n${error.stack}` : line)
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
