import type {ChangeReceiver} from '#lib/follow/follow-options.js'
import type {FollowedChange} from '#lib/follow/interpret.js'
import type {InterruptibleSleep} from '#lib/follow/wake.js'
import {changesName} from './rows.js'

/** Hands changes over to commands: in order for each file, with retries, one by one or in batches. */

/** Number of changes waiting for a command from which no more are accepted. */
const QUEUE = 1000

/** A command failed after all retries. */
export class FailedCommand extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
    this.name = 'FailedCommand'
  }
}

export interface Executing {
  /** Runs the command once for some changes, and returns its exit status. */
  readonly run: (changes: readonly FollowedChange[]) => Promise<number>
  readonly jobs: number
  /** Milliseconds to collect changes for one run; `undefined` for one run per change. */
  readonly batch?: number
  /** How often to repeat a failing command. */
  readonly retries: number
  /** Whether to continue after a command that failed after all retries. */
  readonly keepsGoing: boolean
  /** Rejects if drv is interrupted. */
  readonly sleep: InterruptibleSleep
  /** Called before a repetition. */
  readonly onRetry: (text: string, delay: number) => void
  /** Called for a failure with `keepsGoing`. */
  readonly onFailure: (text: string) => void
}

export interface Executor extends ChangeReceiver {
  /** The number of failures so far. */
  readonly failed: number
  /** Starts no more commands, and resolves when the running ones have ended. */
  stop(): Promise<void>
}

/** Milliseconds before the repetition after `attempt`, counted from 1. Pure. */
export function repetitionDelay(attempt: number): number {
  return Math.min(60_000, 1000 * 2 ** (attempt - 1))
}

interface Waiting {
  readonly change: FollowedChange
  resolve(): void
  reject(error: unknown): void
}

export function createExecutor(executing: Executing): Executor {
  const {run, jobs, batch, retries, keepsGoing, sleep} = executing
  const queue: Waiting[] = []
  const running = new Set<Promise<void>>()
  /** The IDs of files for which a command runs. */
  const busy = new Set<string>()
  let ready: Array<() => void> = []
  let failed = 0
  const waits = new AbortController()
  let isStopped = false
  let isCollecting = false

  async function attempt(changes: readonly FollowedChange[]): Promise<void> {
    for (let count = 1; ; count += 1) {
      const status = await run(changes)
      if (status === 0) return
      const text = `${changesName(changes)}: the command exited with code ${status}`
      if (isStopped || count > retries) throw new FailedCommand(status, text)
      const delay = repetitionDelay(count)
      executing.onRetry(text, delay)
      await sleep(delay, waits.signal)
      if (isStopped) throw new FailedCommand(status, text)
    }
  }

  async function work(some: readonly Waiting[]): Promise<void> {
    try {
      await attempt(some.map(({change}) => change))
    } catch (error) {
      if (!keepsGoing || isStopped || !(error instanceof FailedCommand)) {
        // Later changes must not be delivered before it.
        isStopped = true
        for (const {reject} of some) reject(error)
        return
      }
      failed += 1
      executing.onFailure(error.message)
    }
    for (const {resolve} of some) resolve()
  }

  function start(some: readonly Waiting[]): void {
    for (const {change} of some) busy.add(change.fileId)
    const job = work(some).finally(() => {
      for (const {change} of some) busy.delete(change.fileId)
      running.delete(job)
      pump()
    })
    running.add(job)
  }

  function pump(): void {
    while (!isStopped && running.size < jobs && queue.length > 0) {
      if (batch !== undefined) {
        if (!isCollecting) start(queue.splice(0))
        break
      }
      const next = queue.findIndex(({change}) => !busy.has(change.fileId))
      if (next < 0) break
      start(queue.splice(next, 1))
    }
    if (queue.length >= QUEUE || isStopped) return
    const waiting = ready
    ready = []
    for (const go of waiting) go()
  }

  function collect(): void {
    if (batch === undefined || isCollecting) return
    isCollecting = true
    void sleep(batch, waits.signal).then(endCollection, () => undefined)
  }

  function endCollection(): void {
    isCollecting = false
    pump()
  }

  return {
    get failed() {
      return failed
    },
    async accept(change) {
      const done = new Promise<void>((resolve, reject) => queue.push({change, resolve, reject}))
      collect()
      pump()
      if (queue.length >= QUEUE || isStopped) await new Promise<void>(go => ready.push(go))
      return {done}
    },
    async settle() {
      endCollection()
      while (running.size > 0 || (queue.length > 0 && !isStopped)) {
        await Promise.all(running)
        pump()
      }
    },
    async stop() {
      isStopped = true
      waits.abort()
      await Promise.all(running)
    },
  }
}
