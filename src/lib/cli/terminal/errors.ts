import {Errors} from '@oclif/core'

/** What can end a command besides the errors of `client` and `config`. */

/** The command line asks for something that cannot be done. `message` is a whole sentence. */
export class UsageError extends Error {
  constructor(
    message: string,
    /** What to do now; without it the command's help is named. */
    readonly hint?: string,
    /** What it is about, line by line. */
    readonly lines: readonly string[] = [],
    /** Words of the command line that are wrong, each with the one that may be meant. */
    readonly meant: ReadonlyArray<readonly [word: string, instead: string]> = [],
  ) {
    super(message)
    this.name = 'UsageError'
  }
}

/** Something on this side went wrong that the person can mend. `message` is a whole sentence. */
export class CommandError extends Error {
  constructor(
    readonly exit: 'failed' | 'partial' | 'content' | 'conflict' | 'notFound' | 'unavailable',
    message: string,
    readonly hint?: string,
    /** What may have been meant, a line each. */
    readonly candidates: readonly string[] = [],
  ) {
    super(message)
    this.name = 'CommandError'
  }
}

/** A signal, or a "no" to a question, ended the command. */
export class Interrupted extends Error {
  constructor(
    message = 'Interrupted.',
    /** How to go on. */
    readonly hint?: string,
  ) {
    super(message)
    this.name = 'Interrupted'
  }
}

/** `--timeout` ran out. */
export class TimedOut extends Error {
  constructor(seconds: number, waitedFor?: string) {
    const why = waitedFor === undefined ? '' : `: drv waited for ${waitedFor}`
    super(`No result within ${seconds} s${why}.`)
    this.name = 'TimedOut'
  }
}

/** Whoever read the output has gone: the work stops, and nothing is wrong. */
export class ClosedPipe extends Error {
  constructor() {
    super('The reader of the output has gone.')
    this.name = 'ClosedPipe'
  }
}

/** Ends the command with an exit code of its own, after it has printed everything. */
export function exitWith(code: number): never {
  throw new Errors.ExitError(code)
}
