import {setImmediate} from 'node:timers/promises'
import {UsageError} from '#lib/cli/terminal/errors.js'
import type {Client, Page} from '#lib/client/client.js'
import {reversalOf, reverseOf} from '#lib/history/reverse.js'
import type {HistoryStep, RunSummary} from '#lib/history/runs.js'
import type {StepSummary} from '#lib/history/step-columns.js'
import {inGroups} from '#lib/platform/values.js'
import type {RecordedHistory} from './read-history.js'
import {
  conflictIn,
  isAsLeft,
  isUndoneBy,
  presentCall,
  type PresentState,
  readPresent,
} from './undo-checks.js'
import {changedItemOf, etagAfter, nameOf, reversingOf} from './undo-items.js'
import {
  createUndoList,
  createUndoOrder,
  type RecordedChange,
  stepIn,
  type Undoings,
  type UndoList,
} from './undo-order.js'

/** Decides how to undo the changes of commands. */

/** A change that cannot be undone, and why. */
export interface Lasting {
  readonly operation: string
  /** The name of its item. */
  readonly name: string
  readonly reason: string
}

/** What an undo leaves as it is, and where. */
export interface UndoNote {
  readonly note: string
  /** The names of some of the items. */
  readonly names: readonly string[]
  /** The number of all of them. */
  readonly count: number
}

export interface UndoPlan {
  readonly undoings: Undoings
  readonly lasting: readonly Lasting[]
  readonly notes: readonly UndoNote[]
}

/** Whether to undo a step even if someone has changed its item since then. */
export type IsForced = (step: HistoryStep) => boolean

/** Selects the steps of items by path, name or ID. Throws `UsageError` for an item that none of the steps changed. */
export function forcedItems(
  items: readonly string[],
  history: RecordedHistory,
  runs: readonly RunSummary[],
): IsForced {
  if (items.length === 0) return () => false
  const namesOf = (step: HistoryStep) => [nameOf(step), changedItemOf(step).split(' ')[0]]
  const unknown = new Set(items)
  for (const {steps} of runs) {
    for (const step of steps) namesOf(history.step(step)).forEach(name => unknown.delete(name!))
  }
  const [first] = unknown
  if (first !== undefined) {
    throw new UsageError(
      `Invalid --force: ${first} was not changed by any command to undo.`,
      'Pass an item as `drv history --steps` lists it, or its ID.',
    )
  }
  return step => namesOf(step).some(name => name !== undefined && items.includes(name))
}

export interface UndoChoice {
  readonly isForced: IsForced
  /** Compare all items now, because the reverse calls are not sent at once. */
  readonly isForLater: boolean
}

/** Number of items to compare with the service at a time. */
const GROUP = 1000
/** Number of names in a note. */
const NAMES = 3

/**
 * The plan for undoing commands, the newest change first. Reads from the service only what the history does not know,
 * unless it is for later.
 */
export async function planUndo(
  client: Client,
  history: RecordedHistory,
  runs: readonly RunSummary[],
  {isForced, isForLater}: UndoChoice,
): Promise<UndoPlan> {
  const found = await lostResults(client, history, runs)
  const undoings = createUndoList()
  const lasting: Lasting[] = []
  const order = createUndoOrder(history, undoings)
  const notes = createNotes()
  const checks = createChecks(client, undoings)
  for (const [change, {state, at}] of openChanges(runs)) {
    const lost = found.get(at)
    if (state === 'unknown' && !lost) continue
    const result = lost && 'result' in lost ? lost.result : undefined
    const step = stepIn(history, {...change, result})
    const reverse = lost && 'reason' in lost ? lost : reverseOf(step.operation, step)
    if ('reason' in reverse) {
      lasting.push({operation: step.operation, name: nameOf(step), reason: reverse.reason})
      continue
    }
    if (reverse.calls.length === 0 && !reverse.restores) continue
    const {gates, isNewest} = order.gatesOf(step, reverse)
    const isOpen = isNewest && !isForced(step)
    const hasTag = etagAfter(step) !== undefined
    const isChecked = isOpen && (isForLater || !hasTag) && presentCall(step) !== undefined
    const isTagged = isOpen && !isChecked && hasTag
    const number = undoings.add({...change, result, isTagged, gates})
    order.add(step, number)
    notes.add(step, reverse.note)
    if (isChecked) await checks.add(step, number)
    // Lets Ctrl-C and the collection of garbage in.
    if (undoings.length % GROUP === 0) await setImmediate()
  }
  await checks.end()
  return {undoings, lasting, notes: notes.all()}
}

/** The changes of commands that are not undone yet, the newest first. */
function* openChanges(
  runs: readonly RunSummary[],
): Generator<readonly [change: Omit<RecordedChange, 'result'>, summary: StepSummary]> {
  for (const {steps} of [...runs].sort((a, b) => (a.time < b.time ? 1 : -1))) {
    for (let index = steps.length - 1; index >= 0; index--) {
      const summary = steps.at(index)
      if (summary.state !== 'failed' && !summary.isUndone) yield [{steps, index}, summary]
    }
  }
}

/** Collects the notes of reversals. */
function createNotes() {
  const found = new Map<string, {names: string[]; count: number}>()
  return {
    add(step: HistoryStep, note: string | undefined): void {
      if (note === undefined) return
      const noted = found.get(note) ?? {names: [], count: 0}
      if (noted.count < NAMES) noted.names.push(nameOf(step))
      noted.count += 1
      found.set(note, noted)
    },
    all: () => [...found].map(([note, noted]): UndoNote => ({note, ...noted})),
  }
}

/** Compares the items of steps with the service, and sets the conflicts of their undoings. */
function createChecks(client: Client, undoings: UndoList) {
  let waiting: Array<readonly [HistoryStep, number]> = []

  async function end(): Promise<void> {
    const checked = waiting
    waiting = []
    const present = await readPresent(
      client,
      checked.map(([step]) => step),
    )
    for (const [step, number] of checked) {
      const state = present.get(step)
      if (state && !isUndone(step, state)) undoings.setConflict(number, conflictIn(step, state))
    }
  }

  return {
    async add(step: HistoryStep, number: number): Promise<void> {
      if (waiting.push([step, number]) >= GROUP) await end()
    },
    end,
  }
}

/** The state of a step without a result, according to the service: it was carried out, or the reason why that is unknown. */
type Found = {readonly result: Page | undefined} | {readonly reason: string}

/**
 * Decides from the service whether steps without a result were carried out, by the positions of their lines; those that
 * were not are left out.
 */
async function lostResults(
  client: Client,
  {step: read}: RecordedHistory,
  runs: readonly RunSummary[],
): Promise<ReadonlyMap<number, Found>> {
  const found = new Map<number, Found>()
  const unknown: StepSummary[] = []
  for (const [, summary] of openChanges(runs)) {
    if (summary.state === 'unknown') unknown.push(summary)
  }
  for (const group of inGroups(unknown, GROUP)) {
    const steps = group.map(read)
    const present = await readPresent(client, steps)
    for (const [index, step] of steps.entries()) {
      const state = present.get(step)
      const {at} = group[index]!
      if (!state || 'error' in state) {
        found.set(at, {reason: 'drv does not know whether the service made this change'})
      } else if (isAsLeft(step, state)) found.set(at, {result: resultIn(step, state.record)})
    }
  }
  return found
}

function resultIn(step: HistoryStep, record: Page | undefined): Page | undefined {
  const find = reversalOf(step.operation)?.resultIn
  return record && (find ? find(step, record) : record)
}

/** Whether the only call that undoes a step has been carried out already. */
function isUndone(step: HistoryStep, state: PresentState): boolean {
  const {calls, restores} = reversingOf(step)
  const [call, second] = calls
  return call !== undefined && !second && !restores && isUndoneBy(call, step, state)
}
