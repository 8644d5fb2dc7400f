import type {Operation} from '#lib/api/operations.js'
import type {PlannedRequest} from '#lib/cli/guard/curl-text.js'
import type {CallInput, Page} from '#lib/client/client.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import type {Context} from '#lib/cli/context/context.js'
import type {Failure} from '#lib/cli/explain/explain.js'
import type {Checked} from '#lib/cli/input/names/fill-names.js'
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
  /** It is more than one request without content, and so no part of a batch. */
  goesAlone(parsed: Parsed): boolean
  /** Does it by itself, and gives the answer. */
  send(input: CallInput, parsed: Parsed): Promise<Page | undefined>
  /** Whether it may destroy something, and nobody said yes yet. */
  mayDestroy(input: CallInput): boolean
  /** Throws `UsageError` where it destroys something and nobody can be asked. */
  refuseUnasked(inputs: readonly CallInput[]): void
  /** Asks the person once, where that is needed; rejects when they do not agree. */
  ask(inputs: readonly CallInput[]): Promise<void>
  /** The request, for whoever only wants to see it. */
  planned(input: CallInput, parsed: Parsed): Promise<PlannedRequest>
  explain(error: unknown): Failure
}
