import type {ParameterTexts} from '#lib/client/client.js'
import {groupBy} from '#lib/platform/values.js'
import type {HistoryLine, ResultLine, RunLine, SessionLine, StepLine, StepState} from './lines.js'
import type {SentChange} from './reversal.js'

/** Joins the lines of the history to runs and their steps. */

/** A recorded change. */
export interface HistoryStep extends SentChange {
  /** `RUN/STEP` */
  readonly id: string
  readonly operation: string
  readonly params: ParameterTexts
  /** The path or title of the item when it was changed. */
  readonly item?: string
  /** `unknown` without a result: the process was killed, or there was no clear response. */
  readonly state: Exclude<StepState, 'unsent'>
  readonly error?: string
  /** The step that it reverses. */
  readonly undoes?: string
  /** Whether a later step has reversed it, and was not reversed in turn. */
  readonly isUndone: boolean
}

/** A command and its changes. */
export interface HistoryRun extends RunLine {
  /** In the order in which they were sent. */
  readonly steps: readonly HistoryStep[]
}

interface Draft {
  readonly line: StepLine
  result?: ResultLine
}

/** The runs in these lines, the oldest first. A step whose content another process completed belongs to its run. */
export async function readRuns(
  lines: AsyncIterable<HistoryLine> | Iterable<HistoryLine>,
): Promise<HistoryRun[]> {
  const starts = new Map<string, RunLine>()
  const drafts = new Map<string, Draft>()
  /** The steps whose content sessions send, by name of the session. */
  const sessions = new Map<string, string>()
  /** The run that a step belongs to, if another one completed it. */
  const completedBy = new Map<string, string>()
  for await (const line of lines) {
    if ('command' in line) starts.set(line.run, line)
    else if ('operation' in line) drafts.set(idOf(line), {line})
    else if ('result' in line) {
      const id = line.step === undefined ? sessions.get(line.session!) : idOf(line)
      const draft = id === undefined ? undefined : drafts.get(id)
      if (!draft) continue
      draft.result = line
      if (line.run !== draft.line.run) completedBy.set(id!, line.run)
    } else if (line.step !== undefined) sessions.set(line.session, idOf(line))
  }
  const steps = [...drafts].flatMap(([id, draft]) => stepsOf(id, draft))
  const undone = undoneIds(steps, [...starts.keys()])
  const runOf = ({id}: HistoryStep) => completedBy.get(id) ?? id.slice(0, id.indexOf('/'))
  const byRun = groupBy(withoutRepeated(steps), runOf)
  return [...starts.values()].map(start => ({
    ...start,
    steps: (byRun.get(start.run) ?? []).map(step => ({...step, isUndone: undone.has(step.id)})),
  }))
}

function idOf({run, step}: StepLine | ResultLine | SessionLine): string {
  return `${run}/${step}`
}

function stepsOf(id: string, {line, result}: Draft): HistoryStep[] {
  const {run: _, step: __, before, ...facts} = line
  const state = result?.result ?? 'unknown'
  if (state === 'unsent') return []
  const known = before ?? result?.before
  return [
    {
      ...{...facts, body: line.body ?? {}},
      id,
      state,
      isUndone: false,
      ...(known && {before: known}),
      ...(result?.record && {result: result.record}),
      ...(result?.error !== undefined && {error: result.error}),
    },
  ]
}

/** The IDs of the steps that later steps have reversed. */
function undoneIds(steps: readonly HistoryStep[], runs: readonly string[]): ReadonlySet<string> {
  const order = new Map(runs.map((run, index) => [run, index]))
  const timeOf = ({id}: HistoryStep) => order.get(id.slice(0, id.indexOf('/'))) ?? 0
  const undone = new Set<string>()
  const undos = steps.filter(({undoes, state}) => undoes !== undefined && state === 'done')
  // The newest first, because an undo that was undone itself does not count.
  for (const step of undos.sort((a, b) => timeOf(b) - timeOf(a))) {
    if (!undone.has(step.id)) undone.add(step.undoes!)
  }
  return undone
}

/** The steps without those that were sent again in the same run after a failure. */
function withoutRepeated(steps: readonly HistoryStep[]): HistoryStep[] {
  const runOf = ({id}: HistoryStep) => id.slice(0, id.indexOf('/'))
  // Most runs have no failures, and the keys take as much memory as the steps.
  const unclear = new Set(steps.filter(({state}) => state !== 'done').map(runOf))
  const last = new Map<string, HistoryStep>()
  const repeated = new Set<HistoryStep>()
  for (const step of steps) {
    const run = runOf(step)
    if (!unclear.has(run)) continue
    const {operation, params, body} = step
    const key = JSON.stringify([run, operation, params, body])
    const earlier = last.get(key)
    if (earlier && earlier.state !== 'done') repeated.add(earlier)
    last.set(key, step)
  }
  return steps.filter(step => !repeated.has(step))
}

/** The summary of a run: `undone` and `partly undone` count only changes that were done. */
export type RunState = 'done' | 'partly failed' | 'failed' | 'unknown' | 'undone' | 'partly undone'

export function stateOf({steps}: HistoryRun): RunState {
  const done = steps.filter(({state}) => state === 'done')
  const undone = steps.filter(({isUndone}) => isUndone).length
  if (undone > 0) {
    const isWhole = steps.every(({state, isUndone}) => isUndone || state === 'failed')
    return isWhole ? 'undone' : 'partly undone'
  }
  if (steps.some(({state}) => state === 'unknown')) return 'unknown'
  if (done.length === steps.length) return 'done'
  return done.length === 0 ? 'failed' : 'partly failed'
}
