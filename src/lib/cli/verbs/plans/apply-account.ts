import type {PlanStep} from '#lib/cli/plan-file/format.js'
import type {TreeTally} from '#lib/cli/run/engine.js'
import {labelOf, type Step} from '#lib/cli/run/plan.js'
import {incompleteError, type ProblemCounts, problemTexts} from '#lib/cli/run/report.js'
import type {CommandError} from '#lib/cli/terminal/errors.js'
import {count, problemLine, sizeText, timeText} from '#lib/cli/terminal/units.js'
import type {Page} from '#lib/client/client.js'
import type {PlanCheckpoint, StepProblem} from './plan-checkpoint.js'
import {DONE_BEFORE, PlanConflict} from './plan-steps.js'

/** The results of `drv apply`: counted, recorded in the checkpoint, and summed up at the end. */

/** A problem with the key of its step. */
interface KeyedProblem extends StepProblem {
  readonly key: string
}

/** What a run of `drv apply` did. */
export interface ApplyResult {
  readonly plan: string
  /** The number of steps to apply in this run. */
  readonly steps: number
  readonly done: number
  /** The number of steps whose items were already in their planned state. */
  readonly doneBefore: number
  readonly bytes: number
  readonly conflicts: readonly KeyedProblem[]
  readonly failed: readonly KeyedProblem[]
  readonly left: number
  readonly seconds: number
}

/** Maximum number of problems kept for the results; all are printed, and recorded in the checkpoint. */
const MOST_PROBLEMS = 10_000

interface Reporting {
  readonly plan: string
  /** The number of steps to apply. */
  readonly steps: number
  readonly checkpoint: PlanCheckpoint | undefined
  readonly now: () => number
  readonly note: (text: string) => void
  /** Prints the result for programs. */
  readonly print: (result: ApplyResult) => Promise<void>
}

export function createApplyAccount({plan, steps, checkpoint, now, note, print}: Reporting) {
  const started = now()
  const conflicts: KeyedProblem[] = []
  const failed: KeyedProblem[] = []
  const counts = {done: 0, doneBefore: 0, bytes: 0, conflicts: 0, failed: 0}
  let isReported = false
  const keyOf = (step: Step) => step.key as PlanStep['key']

  function result(): ApplyResult {
    const {done, doneBefore, bytes} = counts
    const left = steps - done - doneBefore
    const seconds = Math.round(now() - started) / 1000
    return {plan, steps, done, doneBefore, bytes, conflicts, failed, left, seconds}
  }

  function report(prefix: string): void {
    if (isReported) return
    isReported = true
    note(prefix + summaryOf(result(), counts))
  }

  function add(step: Step, reason: string, isConflict: boolean): void {
    const problem = {label: labelOf(step), reason, isConflict}
    const kind = isConflict ? 'conflicts' : 'failed'
    counts[kind] += 1
    const list = isConflict ? conflicts : failed
    if (list.length < MOST_PROBLEMS) list.push({key: keyOf(step), ...problem})
    checkpoint?.fail(Number(keyOf(step)), problem)
  }

  const account: TreeTally = {
    done(step, record) {
      counts[record === DONE_BEFORE ? 'doneBefore' : 'done'] += 1
      counts.bytes += sizeOf(record)
      checkpoint?.finish(Number(keyOf(step)))
    },
    nameFailure: error => (error instanceof PlanConflict ? 'Conflict' : undefined),
    failed: (step, message, error) => add(step, message, error instanceof PlanConflict),
    skipped: (step, reason) => {
      note(`Skipped: ${problemLine(labelOf(step), reason)}`)
      add(step, reason, false)
    },
    async conclude() {
      report('')
      await print(result())
      if (counts.conflicts + counts.failed > 0) throw problemError(counts)
    },
  }
  return {account, report}
}

function sizeOf(record: Page | undefined): number {
  return typeof record?.bytes === 'number' ? record.bytes : 0
}

/** `Applied 55 of 58 steps (1.2 GiB) in 9.0 s; 1 already done, 2 conflicts, 1 failed.` */
function summaryOf(
  {steps, done, doneBefore, bytes, seconds}: ApplyResult,
  counts: ProblemCounts,
): string {
  const size = bytes > 0 ? ` (${sizeText(bytes)})` : ''
  const all = done === steps ? count(done, 'step') : `${done} of ${count(steps, 'step')}`
  const others = [
    ...(doneBefore > 0 ? [`${doneBefore} already done`] : []),
    ...problemTexts(counts),
  ]
  const text = `Applied ${all}${size} in ${timeText(seconds * 1000)}`
  return `${[text, others.join(', ')].filter(Boolean).join('; ')}.`
}

/** The error of a run with problems. */
function problemError(counts: ProblemCounts): CommandError {
  const {conflicts, failed} = counts
  const hints = [
    ...(conflicts > 0 ? ['Make a new plan for the changed items.'] : []),
    ...(failed > 0
      ? [`To retry the ${conflicts > 0 ? 'other ' : ''}failed steps, run the same command again.`]
      : []),
  ]
  return incompleteError('The plan was not applied completely', counts, hints.join(' '))
}
