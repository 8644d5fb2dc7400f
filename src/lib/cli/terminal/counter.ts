import type {Io} from './io.js'
import {FIRST, REDRAW} from './progress.js'
import {countLine} from './progress-bar.js'
import {fit} from './width.js'

/** A bar at a terminal for many things that have no bytes of their own. */
export interface Counter {
  show(done: number): void
  /** Wipes it away, until it is shown again. */
  wipe(): void
}

export function createCounter(
  {io, now}: {readonly io: Io; now(): number},
  total: number | undefined,
): Counter {
  const started = now()
  let last = started + FIRST - REDRAW
  let isDrawn = false
  return {
    show(done) {
      const time = now()
      if (!io.draws || time - last < REDRAW) return
      last = time
      isDrawn = true
      io.stderr.write(`\r${fit(countLine(done, total, time - started), io.width - 1)}\u001B[K`)
    },
    wipe() {
      if (isDrawn) io.stderr.write('\r\u001B[K')
      isDrawn = false
    },
  }
}
