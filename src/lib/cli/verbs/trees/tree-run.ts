import {setMaxListeners} from 'node:events'
import {Flags} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import {sentenceFor} from '#lib/cli/explain/explain.js'
import {NOTHING_DONE} from '#lib/cli/explain/interruption.js'
import type {Values} from '#lib/cli/input/call-input.js'
import {concurrencyOf, ifExistsFlag, limitRateFlag} from '#lib/cli/input/shared-flags.js'
import {yes} from '#lib/cli/run/operation-command.js'
import type {Columns, Printer} from '#lib/cli/run/printer.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {createProgress, progressFlag, type TransferProgress} from '#lib/cli/terminal/progress.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {
  count,
  problemLine,
  SUMMARY_COLUMNS,
  summaryLine,
  summaryRecord,
} from '#lib/cli/terminal/units.js'
import {createLedger, type Tally} from '#lib/transfer/tree/outcome.js'
import {createPool} from '#lib/transfer/tree/pool.js'
import type {Run} from '#lib/transfer/tree/run.js'
import {leftOutText, ruleFlags} from './rules.js'

/** What `drv push` and `drv pull` share. */

export const treeFlags = {
  ...progressFlag,
  ...ruleFlags,
  ...ifExistsFlag('Without it what differs is replaced; the same content is never in the way.'),
  ...limitRateFlag,
  concurrency: ranked(
    1006,
    Flags.string({
      summary: 'Transfer so many files at once, rather than as many as the service keeps up with.',
      helpValue: 'N',
    }),
  ),
  yes,
}

/** A run over many files, from its start to what is said of it. */
export interface TreeRun extends Run {
  readonly progress: TransferProgress
  readonly started: number
}

interface RunFlags {
  readonly concurrency?: string
  readonly progress: boolean
}

/** Begins a run; throws `UsageError` for a width that is none. */
export async function startRun(context: Context, flags: RunFlags): Promise<TreeRun> {
  const width = concurrencyOf(flags.concurrency)
  context.onInterrupt(() => NOTHING_DONE)
  const progress = await createProgress(context, flags.progress)
  const {now, signal} = context
  // Each transfer listens, and there may be many.
  setMaxListeners(0, signal)
  const openAhead = (count: number) =>
    void context.client().then(
      client => client.openAhead(count),
      () => undefined,
    )
  const pool = createPool({now, width, openAhead})
  context.onRefusal(() => pool.refused())
  return {
    pool,
    ledger: createLedger(),
    signal,
    explain: sentenceFor,
    begin: progress.begin,
    progress,
    started: now(),
  }
}

/**
 * Does the work and says what came of it, also when it is interrupted or ends early. Gives the
 * tally; throws what ended the run.
 */
async function carryOut(
  context: Context,
  {ledger, started, progress}: TreeRun,
  bytes: number | undefined,
  work: () => Promise<void>,
): Promise<Tally> {
  let isTold = false
  const tell = (prefix: string) => {
    if (isTold) return
    isTold = true
    progress.end()
    const tally = ledger.tally()
    tellLeftOut(context, tally)
    for (const {path, reason} of tally.skipped)
      context.note(`Left out: ${problemLine(path, reason)}`)
    // An error is said even when nothing else is.
    for (const {path, reason} of tally.failed) {
      context.io.say(`Failed: ${problemLine(path, reason)}`)
    }
    context.note(prefix + summaryLine(tally, context.now() - started))
  }
  context.onInterrupt(() => ({
    words: 'what is done stays done, the rest is not',
    hint: 'Run the same command again: it does only what is left.',
  }))
  context.onEnd(() => tell('Stopped early; the same command does the rest. So far: '))
  progress.total('All', bytes)
  await work()
  tell('')
  return ledger.tally()
}

function tellLeftOut({note}: Context, {leftOut}: Tally): void {
  const text = leftOutText(leftOut)
  if (text !== '') note(`Left out by rules: ${text}.`)
}

/** What ends a push or a pull: the plan, and how it is carried out. */
interface Ending<S extends Step> {
  readonly steps: readonly S[]
  /** The side that content comes from. */
  readonly side: 'local' | 'remote'
  readonly isDryRun: boolean
  /** Asks the person, where that is needed; rejects when they do not agree. */
  readonly ask: () => Promise<void>
  readonly work: () => Promise<void>
}

/** The columns of `drv push` and `drv pull`. */
export function treeColumns(flags: Values): Columns {
  return flags['dry-run'] ? PLAN_COLUMNS : SUMMARY_COLUMNS
}

/** Shows the plan, or carries it out and says what came of it; ends with its own code after failures. */
export async function conclude<S extends Step>(
  run: TreeRun,
  ending: Ending<S>,
  context: Context,
  printer: Printer,
): Promise<void> {
  const {steps, side, isDryRun, ask, work} = ending
  if (isDryRun) {
    await printer.records(planRows(steps, side), PLAN_COLUMNS)
    tellLeftOut(context, run.ledger.tally())
    const failing = steps.filter(({action}) => action === 'fail').length
    if (failing === 0) return
    throw new CommandError('partial', `${count(failing, 'item')} would fail. Nothing was done.`)
  }
  await ask()
  const tally = await carryOut(context, run, bytesToMove(steps, side), work)
  if (printer.isStructured) await printer.record(summaryRecord(tally, context.now() - run.started))
  checkFailures(tally.failed.length)
}

/** Ends the command with its own code when items failed. */
function checkFailures(failed: number): void {
  if (failed === 0) return
  throw new CommandError(
    'partial',
    `${count(failed, 'item')} failed; the rest was done.`,
    'The same command does only what is left.',
  )
}

/** How much there is of an export comes out with its last byte. */
interface Sized {
  readonly size: number
  readonly exported?: unknown
}

interface Step {
  readonly action: string
  readonly path: string
  readonly reason?: string
  readonly local?: Sized
  readonly remote?: Sized
}

/** The rows of a plan, without what is the same already. `side` is the one that content comes from. */
function planRows(steps: readonly Step[], side: 'local' | 'remote') {
  return steps
    .filter(({action}) => action !== 'same')
    .map(({action, path, reason, [side]: source}) => ({
      action,
      path,
      ...(source && isKnown(source) && {bytes: source.size}),
      ...(reason !== undefined && {reason}),
    }))
}

/** How many bytes of content a plan moves, where that is known before. */
function bytesToMove(steps: readonly Step[], side: 'local' | 'remote'): number | undefined {
  const moved = steps
    .filter(({action}) => ['upload', 'download', 'replace'].includes(action))
    .flatMap(({[side]: source}) => source ?? [])
  return moved.every(isKnown) ? moved.reduce((sum, {size}) => sum + size, 0) : undefined
}

function isKnown({exported}: Sized): boolean {
  return exported === undefined
}

const PLAN_COLUMNS = ['action', 'path', 'bytes', 'reason']
