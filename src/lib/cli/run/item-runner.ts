import type {Operation} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import type {Failure} from '#lib/cli/explain/explain.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import type {Checked} from '#lib/cli/input/names/request-names.js'
import type {CallInput} from '#lib/client/client.js'
import type {Route} from './plan.js'
import type {ResultsPlace} from './results.js'

/** What a command does for one thing, for whoever does it for many. */
export interface ItemRunner {
  readonly context: Context
  readonly operation: Operation
  readonly results: ResultsPlace
  /** Has the command work with this from now on. */
  adopt(context: Context): void
  /** Throws `UsageError`, before anything is sent. */
  check(given: Parsed): Promise<Checked>
  route(input: CallInput, parsed: Parsed): Route
  /** Whether it may destroy something, and nobody said yes yet. */
  mayDestroy(input: CallInput): boolean
  /** Throws `UsageError` where it destroys something and nobody can be asked. */
  refuseUnasked(inputs: readonly CallInput[]): void
  /** Asks the person once, where that is needed; rejects when they do not agree. */
  ask(inputs: readonly CallInput[]): Promise<void>
  explain(error: unknown): Failure
}
