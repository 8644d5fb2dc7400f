import type {StepGate} from '#lib/cli/run/plan.js'
import type {Page} from '#lib/client/client.js'
import type {HistoryStep} from '#lib/history/runs.js'
import type {StepList} from '#lib/history/step-columns.js'
import {createKeyIndex} from '#lib/platform/key-index.js'
import type {RecordedHistory} from './read-history.js'
import {changedItemOf, filledFolders, type Reversing} from './undo-items.js'

/** The changes to undo, and which of them wait for others. Only what orders them is kept: there may be millions. */

/** A change by its place in the history. */
export interface RecordedChange {
  readonly steps: StepList
  readonly index: number
  /** The facts of its response, if that was lost. */
  readonly result: Page | undefined
}

/** A change to undo. */
interface NewUndoing extends RecordedChange {
  /** Whether its item must still have the ETag with which the change left it. */
  readonly isTagged: boolean
  /** The changes to undo first: the later one of the same item, and those in a folder that is removed. */
  readonly gates: readonly UndoGate[]
}

export interface Undoing extends NewUndoing {
  /** What waits for it. */
  readonly opens: readonly UndoGate[]
  /** Why it is left alone. */
  readonly conflict: unknown
}

/** Changes to undo by number, the newest first. */
export interface Undoings extends Iterable<Undoing> {
  readonly length: number
  /** The number of changes that are left alone. */
  readonly conflicts: number
  at(number: number): Undoing
}

export interface UndoList extends Undoings {
  /** Adds a change and returns its number. */
  add(undoing: NewUndoing): number
  /** Notes what waits for a change. */
  addOpens(number: number, gates: readonly UndoGate[]): void
  setConflict(number: number, conflict: unknown): void
}

/** The list keeps columns, because objects would take twice the memory. */
export function createUndoList(): UndoList {
  const lists: StepList[] = []
  const listNumbers: number[] = []
  const indexes: number[] = []
  const tags: boolean[] = []
  const gates: Array<readonly UndoGate[]> = []
  const opens: Array<readonly UndoGate[]> = []
  const results = new Map<number, Page>()
  const conflicts = new Map<number, unknown>()

  const at = (number: number): Undoing => ({
    steps: lists[listNumbers[number]!]!,
    index: indexes[number]!,
    result: results.get(number),
    isTagged: tags[number]!,
    gates: gates[number]!,
    opens: opens[number]!,
    conflict: conflicts.get(number),
  })

  return {
    get length() {
      return indexes.length
    },
    get conflicts() {
      return conflicts.size
    },
    at,
    *[Symbol.iterator]() {
      for (let number = 0; number < indexes.length; number++) yield at(number)
    },
    add({steps, index, result, isTagged, gates: awaited}) {
      // The changes of a run come one after the other.
      if (lists.at(-1) !== steps) lists.push(steps)
      const number = indexes.push(index) - 1
      listNumbers.push(lists.length - 1)
      tags.push(isTagged)
      gates.push(awaited)
      opens.push(NO_GATES)
      if (result) results.set(number, result)
      return number
    },
    addOpens(number, more) {
      const known = opens[number]!
      opens[number] = known.length === 0 ? more : [...known, ...more]
    },
    setConflict(number, conflict) {
      if (conflict !== undefined) conflicts.set(number, conflict)
    },
  }
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
export function levelOf({gates}: Pick<Undoing, 'gates'>): number {
  return gates.reduce((most, {level}) => Math.max(most, level + 1), 0)
}

/** Most changes wait for nothing, and share this list. */
const NO_GATES: readonly UndoGate[] = []

/** Orders changes of the same item one after the other, and the removal of a new item after all that is in it. */
export function createUndoOrder(history: RecordedHistory, undoings: UndoList) {
  /** The number of the last change of an item that was added. */
  const lastOf = createKeyIndex(number => changedItemOf(stepIn(history, undoings.at(number))))
  /** The gates that the changes in a folder open, by the ID of the folder; a list of one, which they share. */
  const inFolder = new Map<string, readonly [UndoGate]>()

  function open(gates: readonly UndoGate[], number: number): void {
    undoings.addOpens(number, gates)
    const level = levelOf(undoings.at(number))
    for (const gate of gates) {
      gate.awaited += 1
      gate.level = Math.max(gate.level, level)
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
        open(afterLast, last)
        lastOf.delete(item, last)
      }
      const isRemoved = calls.some(({id}) => /\.(trash|delete)$/.test(id))
      const inside = (isRemoved && inFolder.get(item)) || NO_GATES
      // Earlier changes in the folder, which come later here, are not among them.
      if (isRemoved) inFolder.delete(item)
      const gates = inside.length > 0 ? [...afterLast, ...inside] : afterLast
      return {gates, isNewest: last === undefined}
    },
    /** Orders the change with a number, which is the newest one of its item so far. */
    add(step: HistoryStep, number: number): void {
      lastOf.add(changedItemOf(step), number)
      for (const folder of filledFolders(step)) open(gateIn(folder), number)
    },
  }
}

const newGate = (): UndoGate => ({awaited: 0, level: 0})
