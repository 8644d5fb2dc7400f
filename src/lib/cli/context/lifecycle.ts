import type {InterruptionState} from '#lib/cli/explain/interruption.js'

type Work = () => Promise<void>

/** Callbacks for when a command has printed its results, succeeds, is interrupted, or ends. */
export interface Lifecycle {
  /** Registers work to run after the results are printed, even if some steps failed. */
  afterwards(work: Work): void
  /** Runs the work registered with `afterwards`. */
  told(): Promise<void>
  /** Registers work to run after the whole command has succeeded. */
  onSuccess(work: Work): void
  /** Runs the work registered with `onSuccess`. */
  succeeded(): Promise<void>
  /** Replaces the handling of SIGINT and SIGTERM, for a command that runs until it is stopped. */
  onSignal(handle: (name: NodeJS.Signals) => void): void
  /** The handler set with `onSignal`, if any. */
  signalHandler(): ((name: NodeJS.Signals) => void) | undefined
  /** Sets the function that reports the progress of an interrupted command. */
  onInterrupt(tell: () => InterruptionState): void
  /** The progress to report if the command is interrupted now. */
  standing(): InterruptionState | undefined
  /** Registers `close` to run when the command ends for any reason. The last one registered runs first. */
  onEnd(close: () => Promise<void> | void): void
  /** Runs all work registered with `onEnd`, then throws the first error, if any. */
  close(): Promise<void>
}

export function createLifecycle(): Lifecycle {
  const later: Work[] = []
  const onSuccess: Work[] = []
  const endings: Array<() => Promise<void> | void> = []
  let standing: (() => InterruptionState) | undefined
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
