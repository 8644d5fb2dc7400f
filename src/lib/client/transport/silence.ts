import type {ClientRequest} from 'node:http'

/** How long a service may be silent, and how slow. */

/** Milliseconds that may pass without a sign of life. */
export const LONGEST_GAP = 60_000

/** Bytes a second below which an answer that should be small is not worth waiting for. */
const SLOWEST = 1024

/** Whether a small response takes too long: after two periods (ms), unless the last brought enough `bytes`. Pure. */
export function isTooSlow(periods: number, period: number, bytes: number): boolean {
  return periods >= 2 && bytes < (SLOWEST * period) / 1000
}

/** What a request expects from the other side. */
type Due = 'connection' | 'drain' | 'answer'

export interface Patience {
  begin(what: Due): void
  done(what: Due): void
  end(): void
}

/**
 * Tells `onSilence` when the other side of a request gives no sign of life for so many milliseconds.
 * Time that passes while our own source is slow does not count, as it would with got's timeouts.
 */
export function watch(call: ClientRequest, timeout: number, onSilence: () => void): Patience {
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
