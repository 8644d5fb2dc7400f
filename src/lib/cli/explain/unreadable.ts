import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {TooLongError} from '#lib/platform/open-file.js'
import {isFull, obstacleOf, RAISE_FILE_LIMIT, reasonOf} from '#lib/platform/system-errors.js'

/** The error for a file that cannot be read; `what` is its name in the message. */
export function unreadableFileError(what: string, error: unknown): UsageError {
  const reason = error instanceof TooLongError ? error.message : reasonOf(error)
  return new UsageError(`Cannot read ${what}: ${reason}.`, 'Check the path.')
}

/** The error for a file at `path` that cannot be written: a usage error unless the disk or the system has failed. */
export function unwritable(path: string, error: unknown): UsageError | CommandError {
  const message = `Cannot write ${path}: ${reasonOf(error)}.`
  const {code = ''} = error as NodeJS.ErrnoException
  if (isFull(code)) {
    return new CommandError('failed', message, 'Free some space, then run the same command again.')
  }
  const obstacle = obstacleOf(code)
  if (obstacle === 'device') return new CommandError('failed', message)
  if (obstacle === 'files') return new CommandError('failed', message, RAISE_FILE_LIMIT)
  return new UsageError(message, 'Check the path.')
}
