import {Errors} from '@oclif/core'

/** Errors that end a command, besides those of `client` and `config`. */

/** The command line is invalid. `message` is a full sentence. */
export class UsageError extends Error {
  constructor(
    message: string,
    /** What to do next; by default, refers to the help of the command. */
    readonly hint?: string,
    /** Details, one per line. */
    readonly lines: readonly string[] = [],
    /** Wrong words of the command line, each with its likely correction. */
    readonly meant: ReadonlyArray<readonly [word: string, instead: string]> = [],
  ) {
    super(message)
    this.name = 'UsageError'
  }
}

/** A failure on this machine that the user can fix. `message` is a full sentence. */
export class CommandError extends Error {
  constructor(
    readonly exit: 'failed' | 'partial' | 'content' | 'conflict' | 'notFound' | 'unavailable',
    message: string,
    readonly hint?: string,
    /** Likely candidates, one per line. */
    readonly candidates: readonly string[] = [],
  ) {
    super(message)
    this.name = 'CommandError'
  }
}

/** A signal or a declined confirmation ended the command. */
export class Interrupted extends Error {
  constructor(
    message = 'Interrupted.',
    /** How to continue. */
    readonly hint?: string,
  ) {
    super(message)
    this.name = 'Interrupted'
  }
}

/** `--timeout` expired. */
export class TimedOut extends Error {
  constructor(seconds: number, waitedFor?: string) {
    const why = waitedFor === undefined ? '' : ` while waiting for ${waitedFor}`
    super(`Timed out after ${seconds} s${why}.`)
    this.name = 'TimedOut'
  }
}

/** The reader of the output has closed the pipe; the command stops, without an error. */
export class ClosedPipe extends Error {
  constructor() {
    super('The reader closed the output.')
    this.name = 'ClosedPipe'
  }
}

/** Ends the command with an exit code, after it has printed its results. */
export function exitWith(code: number): never {
  throw new Errors.ExitError(code)
}
