import {setImmediate} from 'node:timers/promises'
import {onTestFinished, vi} from 'vitest'

/**
 * Stops the time of timers until the test is over, whose sockets go on: what is waited for does not
 * depend on how busy the machine is.
 */
export function stopTimers(): void {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  })
  onTestFinished(() => void vi.useRealTimers())
}

/** Has stopped time pass a millisecond for each turn of the sockets, until `work` is settled. */
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
