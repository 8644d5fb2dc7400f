import {UsageError} from '#lib/cli/terminal/errors.js'
import type {Client, Page} from '#lib/client/client.js'
import {reversalOf, reverseOf} from '#lib/history/reverse.js'
import type {HistoryStep, RunSummary, StepSummary} from '#lib/history/runs.js'
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
import {
  changedItemOf,
  etagAfter,
  filledFolders,
  nameOf,
  type Reversing,
  reversingOf,
} from './undo-items.js'

/** Decides how to undo the changes of commands. Of a change, only what orders it is kept: there may be very many. */

/** A change to undo. */
export interface Undoing {
  readonly step: StepSummary
  /** The facts of its response, if that was lost. */
  readonly result?: Page
  /** Whether its item must still have the ETag with which the change left it. */
  readonly isTagged: boolean
  /** The changes that are undone first: the later one of the same item, and those in a folder that is removed. */
  readonly after: readonly Undoing[]
  /** Why it is left alone. */
  conflict?: unknown
}

/** The step of an undoing, in full. Throws `CommandError` if the history cannot be read. */
export function stepIn(
  {step: read}: RecordedHistory,
  {step, result}: Pick<Undoing, 'step' | 'result'>,
): HistoryStep {
  return {...read(step), ...(result && {result})}
}

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
  /** The changes to undo, the newest first. */
  readonly undoings: readonly Undoing[]
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
  const newestFirst = [...runs].sort((a, b) => (a.time < b.time ? 1 : -1))
  const recorded = newestFirst
    .flatMap(({steps}) => [...steps].reverse())
    .filter(({state, isUndone}) => state !== 'failed' && !isUndone)
  const found = await lostResults(client, history, recorded)
  const undoings: Undoing[] = []
  const lasting: Lasting[] = []
  const order = createOrder()
  const notes = createNotes()
  const checks = createChecks(client)
  for (const summary of recorded) {
    const lost = found.get(summary)
    if (summary.state === 'unknown' && !lost) continue
    const result = lost && 'result' in lost ? lost.result : undefined
    const step = stepIn(history, {step: summary, ...(result && {result})})
    const reverse = lost && 'reason' in lost ? lost : reverseOf(step.operation, step)
    if ('reason' in reverse) {
      lasting.push({operation: step.operation, name: nameOf(step), reason: reverse.reason})
      continue
    }
    if (reverse.calls.length === 0 && !reverse.restores) continue
    const {after, isNewest} = order.placeOf(step, reverse)
    const isOpen = isNewest && !isForced(step)
    const hasTag = etagAfter(step) !== undefined
    const isChecked = isOpen && (isForLater || !hasTag) && presentCall(step) !== undefined
    const isTagged = isOpen && !isChecked && hasTag
    const undoing: Undoing = {step: summary, after, isTagged, ...(result && {result})}
    undoings.push(undoing)
    order.add(step, undoing)
    notes.add(step, reverse.note)
    if (isChecked) await checks.add(step, undoing)
  }
  await checks.end()
  return {undoings, lasting, notes: notes.all()}
}

/** Most changes come after no other, and share this list. */
const NONE: readonly Undoing[] = []

/** Orders changes of the same item one after the other, and the removal of a new item after all that is in it. */
function createOrder() {
  const lastOf = new Map<string, Undoing>()
  const inFolder = new Map<string, Undoing[]>()
  return {
    /** The undoings that come before that of a step, and whether no later step changed its item. */
    placeOf(step: HistoryStep, {calls}: Reversing) {
      const item = changedItemOf(step)
      const last = lastOf.get(item)
      const isRemoved = calls.some(({id}) => /\.(trash|delete)$/.test(id))
      // Earlier changes in the folder, which come later here, are not among them.
      const inside = isRemoved ? (inFolder.get(item) ?? NONE) : NONE
      const after = last ? [last, ...inside] : inside.length > 0 ? [...inside] : NONE
      return {after, isNewest: last === undefined}
    },
    add(step: HistoryStep, undoing: Undoing): void {
      lastOf.set(changedItemOf(step), undoing)
      for (const folder of filledFolders(step)) {
        const inside = inFolder.get(folder)
        if (inside) inside.push(undoing)
        else inFolder.set(folder, [undoing])
      }
    },
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
function createChecks(client: Client) {
  let waiting: Array<readonly [HistoryStep, Undoing]> = []

  async function end(): Promise<void> {
    const checked = waiting
    waiting = []
    const present = await readPresent(
      client,
      checked.map(([step]) => step),
    )
    for (const [step, undoing] of checked) {
      const state = present.get(step)
      const conflict = state && !isUndone(step, state) ? conflictIn(step, state) : undefined
      if (conflict !== undefined) undoing.conflict = conflict
    }
  }

  return {
    async add(step: HistoryStep, undoing: Undoing): Promise<void> {
      if (waiting.push([step, undoing]) >= GROUP) await end()
    },
    end,
  }
}

/** The state of a step without a result, according to the service: it was carried out, or the reason why that is unknown. */
type Found = {readonly result: Page | undefined} | {readonly reason: string}

/** Decides from the service whether steps without a result were carried out; those that were not are left out. */
async function lostResults(
  client: Client,
  {step: read}: RecordedHistory,
  recorded: readonly StepSummary[],
): Promise<ReadonlyMap<StepSummary, Found>> {
  const found = new Map<StepSummary, Found>()
  const unknown = recorded.filter(({state}) => state === 'unknown')
  for (const group of inGroups(unknown, GROUP)) {
    const steps = group.map(read)
    const present = await readPresent(client, steps)
    for (const [index, step] of steps.entries()) {
      const state = present.get(step)
      const summary = group[index]!
      if (!state || 'error' in state) {
        found.set(summary, {reason: 'drv does not know whether the service made this change'})
      } else if (isAsLeft(step, state)) found.set(summary, {result: resultIn(step, state.record)})
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
