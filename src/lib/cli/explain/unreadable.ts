import {reasonOf} from '../../api/systemwords.js'
import {UsageError} from '../command/errors.js'

/** What is said of a file that cannot be read; `what` is the file as the sentence names it. */
export function unreadable(what: string, error: unknown): UsageError {
  return new UsageError(`Cannot read ${what}: ${reasonOf(error)}.`, 'Check the path.')
}
