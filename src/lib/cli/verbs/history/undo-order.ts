import type {StepGate} from '#lib/cli/run/plan.js'
import type {Page} from '#lib/client/client.js'
import type {HistoryStep} from '#lib/history/runs.js'
import type {StepList} from '#lib/history/step-columns.js'
import {createKeyIndex} from '#lib/platform/key-index.js'
import type {RecordedHistory} from './read-history.js'
import {changedItemOf, filledFolders, type Reversing} from './undo-items.js'

/** The changes to undo, and which of them wait for others. Only what orders them is kept: there may be millions. */

/** A change to undo. */
export interface Undoing extends RecordedChange {
  /** Whether its item must still have the ETag with which the change left it. */
  readonly isTagged: boolean
  /** The changes to undo first: the later one of the same item, and those in a folder that is removed. */
  readonly gates: readonly UndoGate[]
  /** What waits for it. */
  opens: readonly UndoGate[]
  /** Why it is left alone. */
  conflict: unknown
}

/** A change by its place in the history. */
export interface RecordedChange {
  readonly steps: StepList
  readonly index: number
  /** The facts of its response, if that was lost. */
  readonly result: Page | undefined
}

/** A change in full. Throws `CommandError` if the history cannot be read. */
export function stepIn(
  {step: read}: RecordedHistory,
  {steps, index, result}: RecordedChange,
): HistoryStep {
  return {...read(steps.at(index)), ...(result && {result})}
}

/** What a change waits for. */
export interface UndoGate extends StepGate {
  /** The level of the changes that open it. */
  level: number
}

/** The number of changes that must be undone one after the other before a change. */
export function levelOf({gates}: Undoing): number {
  return gates.reduce((most, {level}) => Math.max(most, level + 1), 0)
}

/** Most changes wait for nothing, and share this list. */
export const NO_GATES: readonly UndoGate[] = []

/** Orders changes of the same item one after the other, and the removal of a new item after all that is in it. */
export function createUndoOrder(history: RecordedHistory) {
  const added: Undoing[] = []
  /** The number of the last change of an item that was added. */
  const lastOf = createKeyIndex(number => changedItemOf(stepIn(history, added[number]!)))
  /** The gates that the changes in a folder open, by the ID of the folder; a list of one, which they share. */
  const inFolder = new Map<string, readonly [UndoGate]>()

  function open(gates: readonly UndoGate[], undoing: Undoing): void {
    undoing.opens = undoing.opens.length === 0 ? gates : [...undoing.opens, ...gates]
    for (const gate of gates) {
      gate.awaited += 1
      gate.level = Math.max(gate.level, levelOf(undoing))
    }
  }

  function gateIn(folder: string): readonly [UndoGate] {
    const known = inFolder.get(folder) ?? [newGate()]
    inFolder.set(folder, known)
    return known
  }

  return {
    /** What a step waits for, and whether no later step changed its item. */
    gatesOf(step: HistoryStep, {calls}: Reversing) {
      const item = changedItemOf(step)
      const last = lastOf.get(item)
      const afterLast = last === undefined ? NO_GATES : [newGate()]
      if (last !== undefined) {
        open(afterLast, added[last]!)
        lastOf.delete(item, last)
      }
      const isRemoved = calls.some(({id}) => /\.(trash|delete)$/.test(id))
      const inside = (isRemoved && inFolder.get(item)) || NO_GATES
      // Earlier changes in the folder, which come later here, are not among them.
      if (isRemoved) inFolder.delete(item)
      const gates = inside.length > 0 ? [...afterLast, ...inside] : afterLast
      return {gates, isNewest: last === undefined}
    },
    add(step: HistoryStep, undoing: Undoing): void {
      lastOf.add(changedItemOf(step), added.length)
      added.push(undoing)
      for (const folder of filledFolders(step)) open(gateIn(folder), undoing)
    },
  }
}

const newGate = (): UndoGate => ({awaited: 0, level: 0})
