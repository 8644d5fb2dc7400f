import type {ClientRequest} from 'node:http'

/** Timeouts for silent and slow services. */

/** Default milliseconds of silence before a request fails. */
export const LONGEST_GAP = 60_000

/** Minimum bytes per second of a response that should be small. */
const SLOWEST = 1024

/** Whether a small response takes too long: after two periods (ms), unless the last one brought enough `bytes`. Pure. */
export function isTooSlow(periods: number, period: number, bytes: number): boolean {
  return periods >= 2 && bytes < (SLOWEST * period) / 1000
}

/** What a request is waiting for from the other side. */
type Due = 'connection' | 'drain' | 'answer'

export interface Patience {
  begin(what: Due): void
  done(what: Due): void
  end(): void
}

/**
 * Calls `onSilence` when the other side of a request is silent for `timeout` milliseconds. Unlike got's
 * timeouts, time in which our own source is slow does not count.
 */
export function watchSilence(
  call: ClientRequest,
  timeout: number,
  onSilence: () => void,
): Patience {
  const due = new Set<Due>(['connection'])
  const timer = setTimeout(() => {
    if (due.size > 0) onSilence()
  }, timeout)
  const begin = (what: Due) => {
    due.add(what)
    timer.refresh()
  }
  const done = (what: Due) => due.delete(what)
  call.once('socket', socket => {
    const reached = call.protocol === 'https:' ? 'secureConnect' : 'connect'
    if (socket.connecting) socket.once(reached, () => done('connection'))
    else done('connection')
  })
  call.once('finish', () => {
    done('drain')
    begin('answer')
  })
  return {begin, done, end: () => clearTimeout(timer)}
}
