import {setTimeout} from 'node:timers/promises'

/** Lets requests through, except while an exclusive task runs. */
export interface Gate {
  /** Runs `work` once the gate is open. */
  pass<T>(work: () => Promise<T>): Promise<T>
  /** Runs `work` when no request is running. New requests wait. After one second, runs it despite running requests. */
  close(work: () => void): Promise<void>
}

/** Time in ms to wait for running requests. */
const PATIENCE = 1000

export function createGate(): Gate {
  const running = new Set<Promise<unknown>>()
  let closed: Promise<void> | undefined

  async function exclusive(work: () => void): Promise<void> {
    if (running.size > 0) {
      const stop = new AbortController()
      const late = setTimeout(PATIENCE, undefined, {signal: stop.signal}).catch(() => undefined)
      await Promise.race([Promise.allSettled(running), late])
      stop.abort()
    }
    work()
  }

  return {
    async pass(work) {
      while (closed) await closed
      const result = work()
      running.add(result)
      try {
        return await result
      } finally {
        running.delete(result)
      }
    },
    async close(work) {
      while (closed) await closed
      const result = exclusive(work)
      const done = result.then(
        () => undefined,
        () => undefined,
      )
      closed = done
      await done
      closed = undefined
      return result
    },
  }
}
