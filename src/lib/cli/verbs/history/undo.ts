import {type ChangeSum, createChangeSum} from '#lib/cli/changes/words.js'
import type {Context} from '#lib/cli/context/context.js'
import {NOTHING_DONE} from '#lib/cli/explain/interruption.js'
import {confirmRemoving} from '#lib/cli/guard/confirm-destroying.js'
import {refuseChanges} from '#lib/cli/guard/read-only.js'
import {type Engine, runPlan} from '#lib/cli/run/engine.js'
import {printPreview} from '#lib/cli/run/preview.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {printerResults} from '#lib/cli/run/report.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {count, problemLine} from '#lib/cli/terminal/units.js'
import type {RunSummary} from '#lib/history/runs.js'
import {ownRuns, type RecordedHistory, selectRuns, withHistory} from './read-history.js'
import {changeOfUndoing} from './undo-change.js'
import {stepIn, type Undoings} from './undo-order.js'
import {forcedItems, type Lasting, planUndo, type UndoPlan} from './undo-plan.js'
import {previewSteps, undoSteps} from './undo-steps.js'

export const UNDO_COLUMNS = ['item', 'action', 'id'] as const

/** Maximum number of lines that show a plan before the confirmation. */
const LINES = 20

export interface UndoOptions {
  /** IDs of commands (default: the last command that is not undone). */
  readonly ids: readonly string[]
  /** The items to undo even if someone has changed them since then, by path, name or ID. */
  readonly forced: readonly string[]
  readonly isYes: boolean
}

/** Shows, confirms and runs the reversal of commands. Throws `CommandError` if something could not be undone, or nothing. */
export async function runUndo(
  context: Context,
  printer: Printer,
  {ids, forced, isYes}: UndoOptions,
): Promise<void> {
  await refuseChanges(context, '`drv undo`')
  context.onInterrupt(() => NOTHING_DONE)
  await withHistory(context, history => undoRuns(context, printer, history, {ids, forced, isYes}))
}

async function undoRuns(
  context: Context,
  printer: Printer,
  history: RecordedHistory,
  {ids, forced, isYes}: UndoOptions,
): Promise<void> {
  const runs = await chosenRuns(history, context, ids)
  const isForced = forcedItems(forced, history, runs)
  const client = await context.client()
  const plan = await planUndo(client, history, runs, {
    isForced,
    isForLater: context.options.dryRun,
  })
  tellNotes(context, plan)
  const {undoings} = plan
  if (undoings.length === 0) throw nothingToUndo(plan, runs)
  const engine = engineOf(context, printer)
  const undo = {context, client, history, isForced}
  if (context.options.dryRun) {
    await printPreview(engine, previewSteps(undo, undoings), {})
    return
  }
  const sent = undoings.length - undoings.conflicts
  await confirmRemoving(context, {
    isYes,
    count: sent,
    text: async () => {
      for (const line of planLines(history, undoings).slice(0, LINES)) context.io.say(line)
      return `This undoes ${count(sent, 'change')} of ${commandsText(runs)}.`
    },
  })
  const incompleteText = `${commandsText(runs)} ${runs.length === 1 ? 'was' : 'were'} not undone completely`
  await runPlan(engine, undoSteps(undo, undoings), {
    total: undoings.length,
    goOn: 'To undo a change even though the item changed later, pass --force ITEM.',
    incompleteText,
    doneText: done => `Undid ${count(done, 'change')} of ${commandsText(runs)}`,
  })
  const {length} = plan.lasting
  if (length === 0) return
  throw new CommandError(
    'partial',
    `${incompleteText}: ${count(length, 'change')} cannot be undone.`,
    'To see the reasons, run `drv history --steps`.',
  )
}

async function chosenRuns(
  history: RecordedHistory,
  context: Context,
  ids: readonly string[],
): Promise<readonly RunSummary[]> {
  if (ids.length > 0) return selectRuns(history, context, ids)
  const own = await ownRuns(history, context)
  // Even if it turns out that it changed nothing: an earlier command could be a surprise.
  const last = own.findLast(isOpen)
  if (last) return [last]
  throw new CommandError(
    'notFound',
    'The history has no command to undo.',
    'To see the commands, run `drv history`.',
  )
}

/** Whether a command made changes that are not undone, and is not an undo itself. */
function isOpen({steps}: RunSummary): boolean {
  if (steps.hasUndos) return false
  for (const {state, isUndone} of steps) if (state !== 'failed' && !isUndone) return true
  return false
}

/** Prints notices about what cannot be undone, before anything is changed. */
function tellNotes({note: tell}: Context, {notes, lasting}: UndoPlan): void {
  for (const one of lasting.slice(0, LINES)) tell(`Cannot undo ${lastingText(one)}.`)
  if (lasting.length > LINES) tell(`Cannot undo ${count(lasting.length - LINES, 'more change')}.`)
  for (const {note, names, count: all} of notes) {
    const rest = all > names.length ? `, … (${all})` : ''
    tell(`Note: ${note} (${names.join(', ')}${rest}).`)
  }
}

/** `files.delete of a.txt: it was deleted permanently` */
function lastingText({operation, name, reason}: Lasting): string {
  return operation === 'files.emptyTrash'
    ? `${operation}: ${reason}`
    : `${operation} of ${problemLine(name, reason)}`
}

function nothingToUndo({lasting}: UndoPlan, runs: readonly RunSummary[]): CommandError {
  const hint = 'To undo an earlier command, pass its ID from `drv history`.'
  if (lasting.length > 0) {
    return new CommandError('conflict', 'None of these changes can be undone.', hint)
  }
  const isUndone = runs.some(({steps}) => [...steps].some(step => step.isUndone))
  const why = `${commandsText(runs)} ${isUndone ? 'is already undone' : 'changed nothing'}`
  return new CommandError('notFound', `Nothing to undo: ${why}.`, hint)
}

/** What the changes would do, one line for each kind of change. */
function planLines(history: RecordedHistory, undoings: Undoings): string[] {
  const sums = new Map<string, ChangeSum>()
  for (const undoing of undoings) {
    if (undoing.conflict !== undefined) continue
    const change = changeOfUndoing(stepIn(history, undoing))
    const sum = sums.get(change.action) ?? createChangeSum()
    sum.add(change)
    sums.set(change.action, sum)
  }
  return [...sums.values()].map(sum => sum.text('would'))
}

function commandsText(runs: readonly RunSummary[]): string {
  const [only, second] = runs
  return only && !second ? `\`${only.command}\`` : count(runs.length, 'command')
}

function engineOf(context: Context, printer: Printer): Engine {
  return {
    context,
    explain: context.explain,
    results: printerResults(printer, () => printer.layout([...UNDO_COLUMNS]), printer.isProse),
  }
}
