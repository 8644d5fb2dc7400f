import type {Operation, OperationId} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import {confirm} from '#lib/cli/terminal/confirm.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import type {CallInput} from '#lib/client/client.js'
import {harmlessLine, printable} from '#lib/platform/sanitize.js'
import {destroys, type Loss, lossOf} from './destroys.js'

/**
 * What keeps people from harm lives here: settings that refuse changes, questions before something is
 * destroyed, and requests that are shown instead of sent. How flags and variables become settings
 * belongs to ../../config.
 */

/** The requests of one command. */
export interface Asked {
  readonly operation: OperationId | Operation
  readonly inputs: readonly CallInput[]
  /** `--yes` was given. */
  readonly isYes: boolean
}

const QUESTIONS: Readonly<Record<Loss, string>> = {
  files: 'Delete permanently?',
  trash: 'Empty the trash?',
  drives: 'Delete permanently?',
  revisions: 'Delete permanently?',
  places: 'Remove it from its only folder?',
  access: 'End your own access?',
  ownership: 'Transfer the ownership?',
  unknown: 'Send the request?',
}

/**
 * Refuses what certainly destroys something where nobody can be asked, without a request. Throws
 * `UsageError`.
 */
export function refuseUnasked({io}: Pick<Context, 'io'>, {operation, inputs, isYes}: Asked): void {
  if (isYes || io.interactive || inputs.every(input => destroys(operation, input) !== true)) return
  throw typeof operation === 'object' && lossOf(operation) === 'unknown'
    ? unknown(operation, io)
    : unasked(io)
}

/**
 * Before requests of one operation are sent: where they destroy something, says at a terminal what
 * and how much, and asks once. Throws `Interrupted` without a yes, and `UsageError` where nobody can
 * be asked. What comes on standard input is no answer.
 */
export async function askBeforeDestroying(context: Context, asked: Asked): Promise<void> {
  const {operation, inputs, isYes} = asked
  const loss = lossOf(operation)
  if (!loss || isYes || inputs.every(input => destroys(operation, input) === false)) return
  refuseUnasked(context, asked)
  const {lossText} = await import('./impact.js')
  const text = await lossText(context, loss, operation, inputs)
  if (text !== undefined) await askAbout(context, text, QUESTIONS[loss])
}

interface Removal {
  readonly isYes: boolean
  /** Nothing is asked about nothing. */
  readonly count: number
  /** Says what becomes of what; asked for where somebody reads it. */
  readonly text: () => Promise<string>
}

/** The same of what a push or a pull takes away. */
export async function askBeforeRemoving(
  context: Pick<Context, 'io' | 'signal'>,
  {isYes, count, text}: Removal,
): Promise<void> {
  if (isYes || count === 0) return
  await askAbout(context, await text(), 'Continue?')
}

/** Throws `UsageError` for a `--delete` to which nobody can say yes, before anything is looked at. */
export function refuseDelete(
  {io, options}: Pick<Context, 'io' | 'options'>,
  flags: {readonly delete: boolean; readonly yes: boolean},
): void {
  if (!flags.delete || flags.yes || options.dryRun || io.interactive) return
  throw unasked(io, '--delete ')
}

async function askAbout(
  {io, signal}: Pick<Context, 'io' | 'signal'>,
  text: string,
  question: string,
): Promise<void> {
  if (!io.interactive) throw unasked(io, 'This ', [text])
  io.say(harmlessLine(text))
  await confirm(question, io, signal)
}

type Asking = Pick<Context['io'], 'isCi'>

/** Why nobody can be asked. */
function whyNot({isCi}: Asking): string {
  return isCi ? 'CI is set, so drv does not prompt' : 'drv cannot ask: not running in a terminal'
}

function unasked(io: Asking, what = 'This ', lines: readonly string[] = []): UsageError {
  return new UsageError(
    `${what}destroys something, and ${whyNot(io)}; nothing was changed.`,
    'Pass --yes (-y) to confirm, or --dry-run to see what it would do.',
    lines,
  )
}

/** For an operation that drv knows from a description alone. */
function unknown({operationId, httpMethod}: Operation, io: Asking): UsageError {
  return new UsageError(
    `${printable(operationId, 100)} (${httpMethod}) may destroy something: drv knows it only from a description, and ${whyNot(io)}; nothing was changed.`,
    'Pass --yes (-y) to confirm, or --dry-run to see the request.',
  )
}
