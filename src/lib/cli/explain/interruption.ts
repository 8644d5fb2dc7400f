import {Interrupted} from '#lib/cli/terminal/errors.js'
import {sizeText} from '#lib/cli/terminal/units.js'
import {printable} from '#lib/platform/sanitize.js'
import type {OnProgress} from '#lib/transfer/types.js'

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

/**
 * Has an interrupted command tell how much of some content is done, and whether the next one goes on
 * from there. Gives what hears of the progress in place of `onProgress`.
 */
export function tellSoFar(
  {onInterrupt}: {onInterrupt(tell: () => Standing): void},
  {label, done, isKept}: {label: string; done: 'sent' | 'received'; isKept: boolean},
  onProgress?: OnProgress,
): OnProgress {
  let at = 0
  let whole: number | undefined
  const words = () => {
    const name = printable(label, 100)
    // What goes up in one request is all there, or nothing.
    if (done === 'sent' && at === 0) return `it is not known whether the service has ${name}`
    const size = whole === undefined ? '' : ` of ${sizeText(whole)}`
    return `${sizeText(at)}${size} of ${name} ${at === 1 ? 'is' : 'are'} ${done}, the rest is not`
  }
  onInterrupt(() => ({
    words: words(),
    hint: isKept
      ? 'Run the same command again: it goes on where this one stopped.'
      : `${AGAIN.replace(/\.$/, '')}: it starts anew.`,
  }))
  return (bytes, total) => {
    at = bytes
    whole = total
    onProgress?.(bytes, total)
  }
}
