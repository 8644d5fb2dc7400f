/** Ends waits early: a notification, or a change of local files. */
export interface Wake {
  /** Ends the current wait; without one, the next wait ends at once. */
  wake(): void
  /**
   * Waits with `sleep` until `milliseconds` are over or `wake` is called. `sleep` must resolve when
   * the signal aborts. Rejects with the error of `sleep`.
   */
  wait(milliseconds: number, sleep: InterruptibleSleep): Promise<void>
}

/** Waits that many milliseconds, or until the signal aborts. */
export type InterruptibleSleep = (milliseconds: number, until?: AbortSignal) => Promise<void>

export function createWake(): Wake {
  let current: AbortController | undefined
  let isPending = false
  return {
    wake() {
      if (current) current.abort()
      else isPending = true
    },
    async wait(milliseconds, sleep) {
      if (isPending) {
        isPending = false
        return
      }
      current = new AbortController()
      try {
        await sleep(milliseconds, current.signal)
      } finally {
        current = undefined
      }
    },
  }
}
