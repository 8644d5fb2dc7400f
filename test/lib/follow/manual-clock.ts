import {setImmediate} from 'node:timers/promises'

/** Time that passes only when a test says so. */
export function manualClock(start: number) {
  let time = start
  const waiting = new Set<{readonly at: number; readonly end: () => void}>()

  /** Lets everything happen that does not wait. */
  async function settle(): Promise<void> {
    for (let turn = 0; turn < 5; turn += 1) await setImmediate()
  }

  return {
    now: () => time,
    settle,
    sleep: (milliseconds: number, until?: AbortSignal) =>
      new Promise<void>(resolve => {
        const one = {
          at: time + milliseconds,
          end() {
            waiting.delete(one)
            resolve()
          },
        }
        waiting.add(one)
        if (until?.aborted) one.end()
        until?.addEventListener('abort', one.end, {once: true})
      }),
    async advance(milliseconds: number): Promise<void> {
      const end = time + milliseconds
      await settle()
      for (;;) {
        const [next] = [...waiting].sort((one, other) => one.at - other.at)
        if (!next || next.at > end) break
        time = Math.max(time, next.at)
        next.end()
        await settle()
      }
      time = end
    },
    /** As when a laptop sleeps: time passes, timers do not. */
    jump(milliseconds: number): void {
      time += milliseconds
    },
  }
}
