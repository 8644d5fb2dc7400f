import {reasonOf} from '../../api/systemwords.js'
import {TooLongError} from '../../config/bounded-text.js'
import {UsageError} from '../command/errors.js'

/** What is said of a file that cannot be read; `what` is the file as the sentence names it. */
export function unreadable(what: string, error: unknown): UsageError {
  const reason = error instanceof TooLongError ? error.message : reasonOf(error)
  return new UsageError(`Cannot read ${what}: ${reason}.`, 'Check the path.')
}
