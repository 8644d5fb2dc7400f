import {setImmediate} from 'node:timers/promises'
import {onTestFinished, vi} from 'vitest'

/**
 * Stops the timers until the end of the test, while sockets continue, so that waits do not depend on the load of
 * the machine.
 */
export function stopTimers(): void {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  })
  onTestFinished(() => void vi.useRealTimers())
}

/** Advances the stopped time by a millisecond for each turn of the event loop, until `work` is settled. */
export async function passTime<T>(work: Promise<T>): Promise<T> {
  let isSettled = false
  const settle = () => void (isSettled = true)
  work.then(settle, settle)
  while (!isSettled) {
    await setImmediate()
    vi.advanceTimersByTime(1)
  }
  return work
}
