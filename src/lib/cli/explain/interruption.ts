import {Interrupted} from '#lib/cli/terminal/errors.js'
import {sizeText} from '#lib/cli/terminal/units.js'
import {printable} from '#lib/platform/sanitize.js'
import type {OnProgress} from '#lib/transfer/types.js'

/** The state of an interrupted command, and how to continue. */
export interface InterruptionState {
  /** A sentence without a period: `Nothing was changed`. */
  readonly words: string
  readonly hint: string
}

export const RERUN_HINT = 'Run the same command again.'

export const NOTHING_DONE: InterruptionState = {words: 'Nothing was done', hint: RERUN_HINT}

/** The state after a request was sent, by its method. */
export function requestState(method: string): InterruptionState {
  if (method === 'GET') return {words: 'Nothing was changed', hint: RERUN_HINT}
  return {
    words: 'It is unknown whether the service completed the request',
    hint: 'Check the result; if the change is missing, run the same command again.',
  }
}

/** The error that ends an interrupted command. */
export function interruption(standing: InterruptionState | undefined): Interrupted {
  return standing
    ? new Interrupted(`Interrupted. ${standing.words}.`, standing.hint)
    : new Interrupted('Interrupted.', RERUN_HINT)
}

/**
 * Makes an interrupted command report how much of a transfer is done and whether a rerun resumes it.
 * Returns the progress callback to use instead of `onProgress`.
 */
export function printSoFar(
  {onInterrupt}: {onInterrupt(tell: () => InterruptionState): void},
  {label, done, isKept}: {label: string; done: 'sent' | 'received'; isKept: boolean},
  onProgress?: OnProgress,
): OnProgress {
  let at = 0
  let whole: number | undefined
  const words = () => {
    const name = printable(label, 100)
    // An upload in one request is complete or missing.
    if (done === 'sent' && at === 0) return `It is unknown whether the service received ${name}`
    const size = whole === undefined ? '' : ` of ${sizeText(whole)}`
    return `${done === 'sent' ? 'Sent' : 'Received'} ${sizeText(at)}${size} of ${name}`
  }
  onInterrupt(() => ({
    words: words(),
    hint: isKept
      ? 'Run the same command again to resume.'
      : 'Run the same command again to start over.',
  }))
  return (bytes, total) => {
    at = bytes
    whole = total
    onProgress?.(bytes, total)
  }
}

/** The words before the summary of a run that ended early. An interrupted run has its advice in the error. */
export function soFar({signal}: {readonly signal: AbortSignal}): string {
  const lead = signal.aborted ? '' : 'Stopped early. Run the same command again to finish. '
  return `${lead}So far: `
}
