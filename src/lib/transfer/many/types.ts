import type {BatchCall, Client, Outcome, Page} from '#lib/client/client.js'
import type {Retrying} from '#lib/client/retry/attempts.js'

/** What is to be done for one thing; an error is passed on in its place. */
export type Planned =
  /** Without content: it goes with others in one request. */
  | {
      readonly call: BatchCall
      /** An earlier run may have carried it out. */
      readonly isDoubtful?: boolean
    }
  /** By itself, side by side with others; told to stop by the signal. Tries again what it can itself. */
  | {readonly work: (signal: AbortSignal) => Promise<Page | undefined>}
  | {readonly error: unknown}

/** What came of the thing that the source gave as number `index`, counted from 0. */
export type Answered = Outcome & {readonly index: number}

export interface SendMany {
  readonly client: Client
  /** How parts of batches are tried again; without it they are not. */
  readonly retrying?: Retrying
  readonly signal: AbortSignal
  /**
   * Keeps to so many requests at once; otherwise three batches, and as much work and single calls
   * as the service keeps up with.
   */
  readonly concurrency?: number
  /** Sends nothing new after the first failure, and ends once what is under way has been answered. */
  readonly failFast?: boolean
  /** Takes who is to hear that the service has said that there are too many requests. */
  readonly onRefusal?: (hear: () => void) => void
}
