import {readRemotePath} from '#lib/cli/input/names/lookups.js'
import {UsageError} from '#lib/cli/terminal/errors.js'

/**
 * Throws `UsageError` for a word that names the top of My Drive or of a shared drive, which nobody
 * can take away as a whole; `done` says what would become of it, `hint` what to do instead.
 */
export function refuseTop(word: string, done: string, hint: string): void {
  const {start, names} = readRemotePath(word)
  if (names.length > 0 || (start.in !== 'myDrive' && start.in !== 'drive')) return
  const what =
    start.in === 'drive' ? `the top of the shared drive ${start.name}` : 'the top of My Drive'
  throw new UsageError(`${word} is ${what}, which cannot be ${done}.`, hint)
}
