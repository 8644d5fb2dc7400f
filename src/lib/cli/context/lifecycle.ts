import type {Standing} from '#lib/cli/explain/interruption.js'

type Work = () => Promise<void>

/** What is done when a command has printed its results, has succeeded, is interrupted, or ends. */
export interface Lifecycle {
  /** Registers work for after the results are printed, even where some of many steps failed. */
  afterwards(work: Work): void
  /** Runs the work that was registered for after the results. */
  told(): Promise<void>
  /** Registers work for after the whole command has succeeded. */
  onSuccess(work: Work): void
  /** Runs the work that was registered for after the success. */
  succeeded(): Promise<void>
  /** Replaces what SIGINT and SIGTERM do, for a command that runs until it is stopped. */
  onSignal(handle: (name: NodeJS.Signals) => void): void
  /** What replaces it, if anything does. */
  signalHandler(): ((name: NodeJS.Signals) => void) | undefined
  /** Has an interrupted command tell what `tell` says from now on. */
  onInterrupt(tell: () => Standing): void
  /** What is to be said when the command is interrupted now. */
  standing(): Standing | undefined
  /** Has `close` called when the command ends, however it ends; the last one first. */
  onEnd(close: () => Promise<void> | void): void
  /** Ends everything that was started. Throws the first failure once all has ended. */
  close(): Promise<void>
}

export function createLifecycle(): Lifecycle {
  const later: Work[] = []
  const onSuccess: Work[] = []
  const endings: Array<() => Promise<void> | void> = []
  let standing: (() => Standing) | undefined
  let handle: ((name: NodeJS.Signals) => void) | undefined
  return {
    afterwards: work => void later.push(work),
    told: async () => {
      for (const work of later.splice(0)) await work()
    },
    onSuccess: work => void onSuccess.push(work),
    succeeded: async () => {
      for (const work of onSuccess.splice(0)) await work()
    },
    onSignal: handler => void (handle = handler),
    signalHandler: () => handle,
    onInterrupt: tell => void (standing = tell),
    standing: () => standing?.(),
    onEnd: close => void endings.push(close),
    close: async () => {
      const failures: unknown[] = []
      for (let close = endings.pop(); close; close = endings.pop()) {
        try {
          await close()
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}
