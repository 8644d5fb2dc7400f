import {changesText} from '#lib/cli/changes/words.js'
import type {Context} from '#lib/cli/context/context.js'
import {NOTHING_DONE} from '#lib/cli/explain/interruption.js'
import {confirmRemoving} from '#lib/cli/guard/confirm-destroying.js'
import {refuseChanges} from '#lib/cli/guard/read-only.js'
import {type Engine, runPlan} from '#lib/cli/run/engine.js'
import type {Step} from '#lib/cli/run/plan.js'
import {printPreview} from '#lib/cli/run/preview.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {count, problemLine} from '#lib/cli/terminal/units.js'
import type {Client} from '#lib/client/client.js'
import type {HistoryRun} from '#lib/history/runs.js'
import {groupBy} from '#lib/platform/values.js'
import {ownRuns, selectRuns} from './read-history.js'
import {nameOf, planUndo, type UndoPlan} from './undo-plan.js'
import {undoSteps} from './undo-steps.js'

export const UNDO_COLUMNS = ['item', 'action', 'id'] as const

/** The number of lines with which a plan is shown before the confirmation. */
const LINES = 20

export interface UndoOptions {
  /** Of commands; without any, the last command that is not undone. */
  readonly ids: readonly string[]
  readonly isForced: boolean
  readonly isYes: boolean
}

/** Shows, confirms and runs the reversal of commands. Throws `CommandError` if there is nothing to undo. */
export async function runUndo(
  context: Context,
  printer: Printer,
  {ids, isForced, isYes}: UndoOptions,
): Promise<void> {
  await refuseChanges(context, '`drv undo`')
  context.onInterrupt(() => NOTHING_DONE)
  const client = await context.client()
  const {runs, plan} = await planOf(client, await candidates(context, ids), isForced)
  tellNotes(context, plan)
  const steps = undoSteps({context, client, isForced}, plan.undoings)
  if (steps.length === 0) throw nothingToUndo(plan)
  const engine = engineOf(context, printer)
  if (context.options.dryRun) {
    await printPreview(engine, steps, {})
    return
  }
  const sent = steps.filter(step => !('error' in step))
  await confirmRemoving(context, {
    isYes,
    count: sent.length,
    text: async () => {
      for (const line of planLines(sent).slice(0, LINES)) context.io.say(line)
      return `This undoes ${count(sent.length, 'change')} of ${commandsText(runs)}.`
    },
  })
  await runPlan(engine, steps, {
    total: steps.length,
    goOn: 'To undo changes of items that have changed since, pass --force.',
  })
}

/** The commands to undo; or, without IDs, the commands that are not undone, the newest first. */
async function candidates(context: Context, ids: readonly string[]): Promise<HistoryRun[][]> {
  const own = await ownRuns(context)
  if (ids.length > 0) return [selectRuns(own, ids)]
  const open = own.filter(isOpen).reverse()
  if (open.length > 0) return open.map(run => [run])
  throw new CommandError(
    'notFound',
    'No command to undo in the history.',
    'To see the commands, run `drv history`.',
  )
}

/** The plan for the first candidate that made a change; a killed command may have made none. */
async function planOf(
  client: Client,
  all: readonly HistoryRun[][],
  isForced: boolean,
): Promise<{readonly runs: readonly HistoryRun[]; readonly plan: UndoPlan}> {
  for (const [index, runs] of all.entries()) {
    const plan = await planUndo(client, runs, {isForced})
    const isEmpty = plan.undoings.length + plan.lasting.length === 0
    if (!isEmpty || index === all.length - 1) return {runs, plan}
  }
  return {runs: [], plan: {undoings: [], lasting: []}}
}

/** Whether a command made changes that are not undone, and is no undo itself. */
function isOpen({steps}: HistoryRun): boolean {
  const isUndo = steps.some(({undoes}) => undoes !== undefined)
  return !isUndo && steps.some(({state, isUndone}) => state !== 'failed' && !isUndone)
}

/** Tells what cannot be undone, before anything is changed. */
function tellNotes({note}: Context, {undoings, lasting}: UndoPlan): void {
  for (const {step, reason} of lasting.slice(0, LINES)) {
    note(`Cannot undo ${step.operation} of ${problemLine(nameOf(step), reason)}.`)
  }
  if (lasting.length > LINES) note(`Cannot undo ${lasting.length - LINES} more changes.`)
  const notes = undoings.flatMap(({step, reverse: {note}}) => (note ? [{step, note}] : []))
  for (const [text, some] of groupBy(notes, ({note}) => note)) {
    const names = some.slice(0, 3).map(({step}) => nameOf(step))
    const rest = some.length > names.length ? `, … (${some.length})` : ''
    note(`Note: ${text} (${names.join(', ')}${rest}).`)
  }
}

function nothingToUndo({lasting}: UndoPlan): CommandError {
  return lasting.length > 0
    ? new CommandError(
        'conflict',
        'None of these changes can be undone.',
        'To undo an earlier command, pass its ID from `drv history`.',
      )
    : new CommandError('notFound', 'Nothing to undo: these changes are undone, or were never made.')
}

/** What the steps would do, one line for each kind of change. */
function planLines(steps: readonly Step[]): string[] {
  const changes = steps.flatMap(({change}) => (change ? [change()] : []))
  const groups = groupBy(changes, ({action}) => action)
  return [...groups.values()].map(some => changesText(some, 'would'))
}

function commandsText(runs: readonly HistoryRun[]): string {
  const [only, second] = runs
  return only && !second ? `\`${only.command}\`` : count(runs.length, 'command')
}

function engineOf(context: Context, printer: Printer): Engine {
  const {output, isProse} = printer
  return {
    context,
    explain: context.explain,
    results: {
      output,
      isProse,
      isOfLists: false,
      text: () => (output.array ?? output.list)(printer.layout([...UNDO_COLUMNS])),
      prepared: printer.prepare,
      show: isProse ? printer.printProse : printer.show,
    },
  }
}
