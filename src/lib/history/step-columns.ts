import type {StepLine, StepState} from './lines.js'

/** The steps of runs as columns of numbers: objects for each of them would take several times the memory. */

/** A step, by its run and its number there. */
export type StepPlace = Pick<StepLine, 'run' | 'step'>

/** What a summary knows of a step. */
export interface StepSummary {
  /** The position of its line. */
  readonly at: number
  /** The position of its result. */
  readonly resultAt?: number
  readonly state: Exclude<StepState, 'unsent'>
  /** Whether a later step has reversed it, and was not reversed in turn. */
  readonly isUndone: boolean
}

/** The steps of a run. */
export interface StepList extends Iterable<StepSummary> {
  readonly length: number
  /** The step with an index. */
  at(index: number): StepSummary
  /** Whether one of them reverses another step. */
  readonly hasUndos: boolean
}

/** The steps that a run sent. */
export interface StepColumns {
  add(line: StepLine, at: number): void
  /** Sets the result of a step; false if it is not known. */
  setResult(step: number, state: StepState, at: number): boolean
  stateOf(step: number): StepState | undefined
  /** The steps that were done, and the steps that they reverse. */
  undos(): Iterable<readonly [step: number, undoes: string]>
  setUndone(step: number): void
  /** The steps that were sent, and that `isWanted`. */
  listOf(isWanted?: (step: number) => boolean): StepList
}

/** The position of a result that is not known. */
const NOWHERE = -1

export function createStepColumns(): StepColumns {
  const numbers: number[] = []
  const lines: number[] = []
  const results: number[] = []
  const states: StepState[] = []
  const undoes = new Map<number, string>()
  const undone = new Set<number>()

  /** Whether the numbers are ascending, as a run writes them. */
  let isAscending = true

  function indexOf(step: number): number {
    if (!isAscending) return numbers.indexOf(step)
    let [from, to] = [0, numbers.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (numbers[middle]! < step) from = middle + 1
      else to = middle
    }
    return numbers[from] === step ? from : -1
  }

  const summaryAt = (index: number): StepSummary => {
    const resultAt = results[index]!
    return {
      at: lines[index]!,
      ...(resultAt !== NOWHERE && {resultAt}),
      state: states[index] as StepSummary['state'],
      isUndone: undone.has(index),
    }
  }

  return {
    add({step, undoes: reversed}, at) {
      if (reversed !== undefined) undoes.set(numbers.length, reversed)
      isAscending &&= step > (numbers.at(-1) ?? -Infinity)
      numbers.push(step)
      lines.push(at)
      results.push(NOWHERE)
      states.push('unknown')
    },
    setResult(step, state, at) {
      const index = indexOf(step)
      if (index < 0) return false
      states[index] = state
      results[index] = at
      return true
    },
    stateOf: step => states[indexOf(step)],
    *undos() {
      for (const [index, reversed] of undoes) {
        if (states[index] === 'done') yield [numbers[index]!, reversed]
      }
    },
    setUndone(step) {
      const index = indexOf(step)
      if (index >= 0) undone.add(index)
    },
    listOf(isWanted) {
      const isKept = (index: number) =>
        states[index] !== 'unsent' && (isWanted?.(numbers[index]!) ?? true)
      const isWhole = isWanted === undefined && !states.includes('unsent')
      const kept = isWhole ? undefined : [...numbers.keys()].filter(isKept)
      return stepList(
        kept?.length ?? numbers.length,
        index => summaryAt(kept?.[index] ?? index),
        kept ? kept.some(index => undoes.has(index)) : undoes.size > 0,
      )
    },
  }
}

function stepList(length: number, at: (index: number) => StepSummary, hasUndos: boolean): StepList {
  return {
    length,
    at,
    hasUndos,
    *[Symbol.iterator]() {
      for (let index = 0; index < length; index++) yield at(index)
    },
  }
}

/** The steps of several lists, in the order of their lines. */
export function joined(lists: readonly StepList[]): StepList {
  const [only, second] = lists
  if (only && !second) return only
  const steps = lists.flatMap(list => [...list]).sort((one, other) => one.at - other.at)
  const hasUndos = lists.some(list => list.hasUndos)
  return stepList(steps.length, index => steps[index]!, hasUndos)
}

/** The steps of a list that `isWanted`. */
export function selectSteps(list: StepList, isWanted: (step: StepSummary) => boolean): StepList {
  const kept: number[] = []
  for (let index = 0; index < list.length; index++) if (isWanted(list.at(index))) kept.push(index)
  return stepList(kept.length, index => list.at(kept[index]!), list.hasUndos)
}
