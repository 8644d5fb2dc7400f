import {Interrupted} from '#lib/cli/terminal/errors.js'

/** What is said of a command that was interrupted: what is done and what is not, and how to go on. */
export interface Standing {
  /** Goes on a sentence: `nothing was changed`. */
  readonly words: string
  readonly hint: string
}

export const AGAIN = 'Run the same command again.'

export const NOTHING_DONE: Standing = {words: 'nothing was done', hint: AGAIN}

/** What holds once a request is on its way, by its method. */
export function standingOfRequest(method: string): Standing {
  if (method === 'GET') return {words: 'nothing was changed', hint: AGAIN}
  return {
    words: 'the service may have done it or not',
    hint: 'Look whether it is done; if it is not, run the same command again.',
  }
}

/** The error that ends an interrupted command; without a standing it says nothing more. */
export function interruption(standing: Standing | undefined): Interrupted {
  return standing
    ? new Interrupted(`Interrupted: ${standing.words}.`, standing.hint)
    : new Interrupted('Interrupted.', AGAIN)
}
