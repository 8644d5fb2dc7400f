import type {Operation} from '../../api/operations.js'
import type {CallInput, Page, PreparedRequest} from '../../client/client.js'
import type {Parsed} from '../arguments/input.js'
import type {Context} from '../command/context.js'
import type {Failure} from '../explain/explain.js'
import type {Checked} from '../naming/fill.js'
import type {ResultsPlace} from './results.js'

/** What a command does for one thing, for whoever does it for many. */
export interface Doer {
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
  /** Asks the person, where that is needed; rejects when they do not agree. */
  ask(inputs: readonly CallInput[]): Promise<void>
  /** Whether it has to be asked. */
  readonly asks: boolean
  /** The request, for whoever only wants to see it. */
  show(input: CallInput, parsed: Parsed): Promise<PreparedRequest>
  /** The same as text for people. */
  showText(request: PreparedRequest): string
  explain(error: unknown): Failure
}
