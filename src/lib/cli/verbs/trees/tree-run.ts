import {setFlagsFromString} from 'node:v8'
import {Flags} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import {NOTHING_DONE, soFar} from '#lib/cli/explain/interruption.js'
import type {FlagValues} from '#lib/cli/input/call-input.js'
import {concurrencyOf, ifExistsFlag, limitRateFlag} from '#lib/cli/input/shared-flags.js'
import {runPlan, type TreeTally} from '#lib/cli/run/engine.js'
import {yesFlag} from '#lib/cli/run/operation-command.js'
import {labelOf, type Step} from '#lib/cli/run/plan.js'
import {PREVIEW_COLUMNS, printPreview} from '#lib/cli/run/preview.js'
import type {Columns, Printer} from '#lib/cli/run/printer.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {createProgress, progressFlag, type TransferProgress} from '#lib/cli/terminal/progress.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {
  count,
  type Direction,
  problemLine,
  SUMMARY_COLUMNS,
  summaryLine,
  summaryRecord,
} from '#lib/cli/terminal/units.js'
import type {Page} from '#lib/client/client.js'
import {PolicyError} from '#lib/config/policy.js'
import type {GivenRules} from '#lib/transfer/local/rules.js'
import type {Excluded} from '#lib/transfer/tree/entries.js'
import type {ReservedItem} from '#lib/transfer/tree/push.js'
import type {ItemProblem, Tally} from '#lib/transfer/tree/steps.js'
import type {OnProgress} from '#lib/transfer/types.js'
import {ruleFlags} from './rules.js'
import {treeEngine} from './tree-steps.js'
import {partialFailure, printExcluded, type Transferred, treeSummary} from './tree-summary.js'

/** Shared code of `drv push` and `drv pull`. */

export const treeFlags = {
  ...progressFlag,
  ...ruleFlags,
  ...ifExistsFlag('By default, changed files are replaced; identical ones are skipped.'),
  ...limitRateFlag,
  concurrency: ranked(
    1006,
    Flags.string({
      summary: 'Maximum number of parallel transfers (default: adaptive).',
      aliases: ['transfers'],
      helpValue: 'N',
    }),
  ),
  yes: yesFlag,
}

/** A piece of a plan. */
interface Piece {
  readonly leftOut: Excluded
}

interface TreePlan<P extends Piece> {
  /** The plan, piece by piece, as it is computed. */
  readonly pieces: AsyncIterable<P>
  /** The steps for the pieces; reads the next piece when the steps before it have been taken. */
  readonly stepsOf: (pieces: AsyncIterable<P>, run: TreeRun) => AsyncIterable<Step>
  /** The destination as typed, which the summary of a single file names. */
  readonly to?: string
  /** The steps that `--dry-run` shows for a piece. */
  readonly preview: (piece: P) => Iterable<Step>
  /** The steps that `--plan` writes, and the local folder that contains all local files. */
  readonly planned?: {
    readonly root?: string
    readonly steps: (pieces: AsyncIterable<P>) => AsyncIterable<Step>
  }
  /** Whether the whole plan must be computed before the first step. */
  readonly isWhole: boolean
  /** Asks for confirmation of the whole plan if needed; rejects if the user declines. */
  readonly ask: (pieces: readonly P[]) => Promise<void>
  /** Called before the first step. */
  readonly begin: () => Promise<void>
  /** Called after the last step, even after failures. */
  readonly end?: () => Promise<void>
  /** `false` if a rerun starts from the beginning. */
  readonly resumes?: false
}

/** A running push or pull, as its steps see it. */
export interface TreeRun {
  /** Counts files that need no step, because they are known to be equal. */
  unchanged(files: number): void
  /** Announces the number of contents to transfer, so that connections can be opened ahead. */
  expect(contents: number): void
  /** Shows the progress of a transfer while `work` runs. */
  watch<T>(path: string, work: (onProgress: OnProgress) => Promise<T>): Promise<T>
  /** Called with new items before they are sent. */
  reserved?(items: readonly ReservedItem[]): Promise<void>
  /** Called before an item is sent under another ID than the reserved one, which another item has. */
  renewed?(id: string, other: string): Promise<void>
  /** Runs work that must end before the command does. */
  finish(work: () => Promise<void>): void
}

/** A run that transfers nothing, for plans. */
export const IDLE_RUN: TreeRun = {
  unchanged: () => undefined,
  expect: () => undefined,
  watch: (_, work) => work(() => undefined),
  finish: () => undefined,
}

/** Shows transfers in a progress display. */
export function transferWatch(progress: TransferProgress): TreeRun['watch'] {
  return async (path, work) => {
    const {onProgress, end} = progress.begin(path)
    try {
      return await work(onProgress)
    } finally {
      end()
    }
  }
}

/** The result of a step: a result that differs from its action, and the number of bytes transferred. */
export interface TreeResult extends Page {
  readonly as?: 'unchanged' | 'nothing'
  readonly bytes?: number
  /** The ID of an uploaded file. */
  readonly id?: string
}

/** The columns of `drv push` and `drv pull`. */
export function treeColumns(flags: FlagValues): Columns {
  return flags['dry-run'] ? PREVIEW_COLUMNS : SUMMARY_COLUMNS
}

const COUNTERS: Readonly<Record<string, keyof typeof NONE>> = {
  folder: 'folders',
  upload: 'created',
  download: 'created',
  replace: 'replaced',
  same: 'unchanged',
  unchanged: 'unchanged',
  trash: 'removed',
  remove: 'removed',
}
const NONE = {folders: 0, created: 0, replaced: 0, unchanged: 0, removed: 0, bytes: 0}

/** Maximum number of connections to open ahead. */
const CONNECTIONS = 16

/** The values of the flags that push and pull share. */
export interface TreeFlags extends GivenRules, FlagValues {
  readonly delete: boolean
  readonly yes: boolean
  readonly progress: boolean
  readonly concurrency?: string
  readonly 'if-exists'?: string
  readonly 'limit-rate'?: string
  /** Only for pull: the type of the files to download. */
  readonly type?: string
}

/**
 * Runs a push or a pull and prints its summary, even if it is interrupted or stops early; with `--dry-run`,
 * prints its steps. Throws `CommandError('partial')` after failures, and any error that stopped it.
 */
export async function runTree<P extends Piece>(
  context: Context,
  printer: Printer,
  flags: TreeFlags,
  direction: Direction,
  plan: (started: number) => Promise<TreePlan<P>>,
): Promise<void> {
  const concurrency = concurrencyOf(flags.concurrency)
  context.onInterrupt(() => NOTHING_DONE)
  const {now} = context
  // By default, V8 lets garbage grow to several times the memory in use before collecting it.
  setFlagsFromString('--heap-growing-percent=50')
  const started = now()
  const prepared = await plan(started)
  const {to, pieces, stepsOf, preview, planned, isWhole, ask, begin, end, resumes} = prepared
  const leftOut = {folders: 0, files: 0}
  let bytes = 0
  let isKnown = true
  let isRefused = false
  let finishing: Promise<void> = Promise.resolve()
  const engine = treeEngine(context, printer, direction)

  async function* counted(some: AsyncIterable<P> | readonly P[]): AsyncGenerator<P> {
    for await (const piece of some) {
      leftOut.folders += piece.leftOut.folders
      leftOut.files += piece.leftOut.files
      yield piece
    }
  }

  const known: P[] = []
  if (isWhole) for await (const piece of pieces) known.push(piece)
  const all = counted(isWhole ? known : pieces)
  if (planned && context.options.plan !== undefined) {
    await printPreview(engine, planned.steps(all), {isOfRows: true, root: planned.root})
    return printExcluded(context, leftOut)
  }
  if (context.options.dryRun) {
    let [unchanged, others] = [0, 0]
    const steps = async function* () {
      for await (const piece of all) {
        for (const step of preview(piece)) {
          if (step.action === 'same') unchanged += 1
          else others += 1
          yield step
        }
      }
    }
    const failing = await printPreview(engine, steps(), {isOfRows: true})
    printExcluded(context, leftOut)
    if (others === 0) {
      const nothing = {...NONE, unchanged, leftOut, skipped: [], failed: []}
      context.note(summaryLine(direction, nothing, now() - started))
    }
    if (failing === 0) return
    throw new CommandError('partial', `${count(failing, 'item')} would fail. No changes were made.`)
  }
  const progress = await createProgress(context, flags.progress)
  if (isWhole) await ask(known)
  const {account, tell: report} = createAccount()
  if (resumes !== false) {
    context.onInterrupt(() => ({
      words: 'Completed transfers are kept',
      hint: 'To continue, run the same command again.',
    }))
    context.onEnd(() => report(soFar(context)))
  }
  await begin()
  const client = await context.client()
  const run: TreeRun = {
    unchanged: files => account.unchanged(files),
    expect(contents) {
      if (contents > 0) client.openAhead(Math.min(contents, concurrency ?? CONNECTIONS))
    },
    watch: transferWatch(progress),
    finish(work) {
      finishing = finishing.then(work)
      // `conclude` awaits it and handles the error.
      finishing.catch(() => undefined)
    },
  }
  try {
    await runPlan(engine, sized(stepsOf(all, run)), {concurrency, progress, account})
  } catch (error) {
    isRefused = error instanceof PolicyError
    throw error
  }

  /** The same steps; updates the total in the progress display. */
  async function* sized(steps: AsyncIterable<Step>): AsyncGenerator<Step> {
    for await (const step of steps) {
      const moves = step.action === 'replace' || COUNTERS[step.action ?? ''] === 'created'
      if (moves) isKnown &&= step.bytes !== undefined
      if (moves && step.bytes) bytes += step.bytes
      progress.total('All', isKnown ? bytes : undefined)
      yield step
    }
  }

  function createAccount() {
    const counts = {...NONE}
    const skipped: ItemProblem[] = []
    const failed: ItemProblem[] = []
    const tally = (): Tally => ({...counts, leftOut, skipped, failed})
    let last: Transferred | undefined
    let isReported = false
    const report = (prefix: string) => {
      // A plan that a policy refused has not begun.
      if (isReported || (isRefused && Object.values(counts).every(number => number === 0))) return
      isReported = true
      progress.end()
      printExcluded(context, leftOut)
      for (const {path, reason} of skipped) context.note(`Skipped: ${problemLine(path, reason)}`)
      const single = prefix === '' ? last : 'early'
      context.note(prefix + treeSummary(direction, tally(), now() - started, single))
    }
    const account: TreeTally & {unchanged(files: number): void} = {
      unchanged: files => void (counts.unchanged += files),
      done(step, record: TreeResult | undefined) {
        const counter = COUNTERS[record?.as ?? step.action ?? '']
        if (counter) counts[counter] += 1
        if (to !== undefined) last = {path: labelOf(step), record, to}
        counts.bytes += record?.bytes ?? 0
      },
      failed: (step, reason) => void failed.push({path: labelOf(step), reason}),
      skipped: (step, reason) => void skipped.push({path: labelOf(step), reason}),
      async conclude() {
        await finishing
        await end?.()
        report('')
        if (printer.isStructured) await printer.record(summaryRecord(tally(), now() - started))
        if (failed.length === 0) return
        throw partialFailure(tally(), resumes)
      },
    }
    return {account, tell: report}
  }
}
