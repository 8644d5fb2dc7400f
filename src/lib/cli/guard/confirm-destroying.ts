import type {Operation, OperationId} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import {confirm} from '#lib/cli/terminal/confirm.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import type {CallInput} from '#lib/client/client.js'
import {harmlessLine, printable} from '#lib/platform/sanitize.js'
import {destroys, type ImpactKind, impactKindOf} from './destroys.js'

/**
 * Confirmations before something is destroyed. Read-only mode: `read-only.ts`. Requests shown instead of
 * sent: `curl.ts`.
 */

/** Requests of one operation. */
export interface Requests {
  readonly operation: OperationId | Operation
  readonly inputs: readonly CallInput[]
  /** `--yes` was given. */
  readonly isYes: boolean
}

const QUESTIONS: Readonly<Record<ImpactKind, string>> = {
  files: 'Delete permanently?',
  trash: 'Empty the trash?',
  drives: 'Delete permanently?',
  revisions: 'Delete permanently?',
  places: 'Remove it from its only folder?',
  access: 'Remove your own access?',
  ownership: 'Transfer ownership?',
  unknown: 'Send the request?',
}

/**
 * Throws `UsageError` if the requests certainly destroy something and drv can neither prompt nor has
 * `--yes`. Sends no request.
 */
export function refuseUnconfirmed(
  {io}: Pick<Context, 'io'>,
  {operation, inputs, isYes}: Requests,
): void {
  if (isYes || io.interactive || inputs.every(input => destroys(operation, input) !== true)) return
  throw typeof operation === 'object' && impactKindOf(operation) === 'unknown'
    ? unknown(operation, io)
    : unconfirmed(io)
}

/**
 * Shows the impact of requests that destroy something, and asks once for confirmation. Throws
 * `Interrupted` if the user declines, and `UsageError` if drv cannot prompt. Never reads the answer from
 * a pipe.
 */
export async function confirmDestroying(context: Context, requests: Requests): Promise<void> {
  const {operation, inputs, isYes} = requests
  const kind = impactKindOf(operation)
  if (!kind || isYes || inputs.every(input => destroys(operation, input) === false)) return
  refuseUnconfirmed(context, requests)
  const {describeImpact} = await import('./impact.js')
  const text = await describeImpact(context, kind, operation, inputs)
  if (text !== undefined) await confirmImpact(context, text, QUESTIONS[kind])
}

interface Removal {
  readonly isYes: boolean
  /** Without items there is no confirmation. */
  readonly count: number
  /** The impact as a sentence; called only if drv asks. */
  readonly text: () => Promise<string>
}

/** Asks for confirmation before push or pull removes items; throws like `confirmDestroying`. */
export async function confirmRemoving(
  context: Pick<Context, 'io' | 'signal'>,
  {isYes, count, text}: Removal,
): Promise<void> {
  if (isYes || count === 0) return
  await confirmImpact(context, await text(), 'Continue?')
}

/** Throws `UsageError` for `--delete` without `--yes` if drv cannot prompt, before any request. */
export function refuseDelete(
  {io, options}: Pick<Context, 'io' | 'options'>,
  flags: {readonly delete: boolean; readonly yes: boolean},
): void {
  if (!flags.delete || flags.yes || options.dryRun || io.interactive) return
  throw unconfirmed(io, '--delete')
}

async function confirmImpact(
  {io, signal}: Pick<Context, 'io' | 'signal'>,
  text: string,
  question: string,
): Promise<void> {
  if (!io.interactive) throw unconfirmed(io, 'The command', [text])
  io.say(harmlessLine(text))
  await confirm(question, io, signal)
}

type Prompting = Pick<Context['io'], 'isCi'>

/** The reason why drv does not prompt. */
export function noPromptReason({isCi}: Prompting): string {
  return isCi ? 'CI is set, so drv does not prompt' : 'drv cannot prompt: not running in a terminal'
}

function unconfirmed(
  io: Prompting,
  what = 'The command',
  lines: readonly string[] = [],
): UsageError {
  return new UsageError(
    `${what} needs confirmation, but ${noPromptReason(io)}. Nothing was changed.`,
    'Pass --yes (-y) to confirm, or --dry-run to preview the changes.',
    lines,
  )
}

/** The error for an operation whose impact drv does not know. */
function unknown({operationId, httpMethod}: Operation, io: Prompting): UsageError {
  return new UsageError(
    `${printable(operationId, 100)} (${httpMethod}) may delete data and needs confirmation, but ${noPromptReason(io)}. Nothing was changed.`,
    'Pass --yes (-y) to confirm, or --dry-run to see the request.',
  )
}
