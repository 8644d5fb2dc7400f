import type {ParameterTexts} from '#lib/client/client.js'
import {groupBy} from '#lib/platform/values.js'
import type {HistoryLine, ResultLine, RunLine, SessionLine, StepLine, StepState} from './lines.js'
import type {SentChange} from './reversal.js'

/**
 * Joins the lines of the history to runs and their steps, in two passes: the first one keeps only what the summaries of
 * runs need, because the history may be much larger than the runs of interest.
 */

type Lines = AsyncIterable<HistoryLine> | Iterable<HistoryLine>

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

/** What a summary knows of a step. */
export type StepSummary = Pick<HistoryStep, 'id' | 'state' | 'undoes' | 'isUndone'>

/** A command and what became of its changes, in the order in which they were sent. */
export interface RunSummary extends RunLine {
  readonly steps: readonly StepSummary[]
}

/** A command and its changes, in the order in which they were sent. */
export interface HistoryRun extends RunLine {
  readonly steps: readonly HistoryStep[]
}

interface Draft {
  readonly id: string
  readonly undoes?: string
  state: StepState
  /** The run that it belongs to: its own, or the one that completed its content. */
  run: string
  /** Until its result is known. */
  line?: StepLine
  /** The earlier attempt of the same change, which failed or has no clear result. */
  repeats?: Draft
}

/** The runs in these lines, the oldest first. A step whose content another process completed belongs to its run. */
export async function readRuns(lines: Lines): Promise<RunSummary[]> {
  const starts = new Map<string, RunLine>()
  const drafts = new Map<string, Draft>()
  const namesOfSessions = createSessions()
  /** The last failed step of each request. */
  const failed = createFailed()
  for await (const line of lines) {
    if ('command' in line) starts.set(line.run, line)
    else if ('operation' in line) {
      const {run, undoes} = line
      const draft: Draft = {id: idOf(line), run, state: 'unknown', line, ...(undoes && {undoes})}
      drafts.set(draft.id, draft)
      const repeats = failed.lastOf(line)
      if (repeats) draft.repeats = repeats
    } else if ('result' in line) {
      const draft = drafts.get(namesOfSessions.idOf(line) ?? '')
      if (!draft) continue
      if (['failed', 'unknown'].includes(line.result) && draft.line) failed.add(draft)
      draft.state = line.result
      draft.run = line.run
      delete draft.line
    } else namesOfSessions.add(line)
  }
  const covered = coveredAttempts([...drafts.values()])
  const steps = [...drafts.values()].filter(one => one.state !== 'unsent' && !covered.has(one))
  const undone = undoneIds(steps, [...starts.keys()])
  const byRun = groupBy(steps, ({run}) => run)
  return [...starts.values()].map(start => ({
    ...start,
    steps: (byRun.get(start.run) ?? []).map(step => summaryOf(step, undone)),
  }))
}

/** The earlier attempts of changes that a later one stands for. An attempt that failed does not show that an earlier one did. */
function coveredAttempts(drafts: readonly Draft[]): ReadonlySet<Draft> {
  const covered = new Set<Draft>()
  for (const {state, repeats} of drafts) {
    if (state === 'unsent') continue
    for (let earlier = repeats; earlier; earlier = earlier.repeats) {
      if (state !== 'failed' || earlier.state === 'failed') covered.add(earlier)
    }
  }
  return covered
}

function summaryOf({id, state, undoes}: Draft, undone: ReadonlySet<string>): StepSummary {
  const isUndone = undone.has(id)
  return {id, state: state as StepSummary['state'], isUndone, ...(undoes && {undoes})}
}

/** The same runs with their steps in full. A step that is no longer in the lines is left out. */
export async function withSteps(lines: Lines, runs: readonly RunSummary[]): Promise<HistoryRun[]> {
  const wanted = new Set(runs.flatMap(({steps}) => steps.map(({id}) => id)))
  const found = new Map<string, {readonly line: StepLine; result?: ResultLine}>()
  const sessions = createSessions()
  for await (const line of lines) {
    if ('command' in line) continue
    if ('operation' in line) {
      const id = idOf(line)
      if (wanted.has(id)) found.set(id, {line})
    } else if ('result' in line) {
      const step = found.get(sessions.idOf(line) ?? '')
      if (step) step.result = line
    } else sessions.add(line)
  }
  return runs.map(run => ({
    ...run,
    steps: run.steps.flatMap(({id, isUndone}) => {
      const known = found.get(id)
      // Each line is needed only once, and there may be very many.
      found.delete(id)
      const step = known && stepOf(id, known, isUndone)
      return step ? [step] : []
    }),
  }))
}

function idOf({run, step}: StepLine | ResultLine | SessionLine): string {
  return `${run}/${step}`
}

/** The steps whose content sessions send. */
function createSessions() {
  const ids = new Map<string, string>()
  return {
    add(line: SessionLine): void {
      if (line.step !== undefined) ids.set(line.session, idOf(line))
    },
    /** The ID of the step of a result. */
    idOf: (line: ResultLine) => (line.step === undefined ? ids.get(line.session!) : idOf(line)),
  }
}

/** The failed steps of runs, to recognize those that are sent again. */
function createFailed() {
  // Most runs have no failures.
  const byRun = new Map<string, Map<string, Draft>>()
  const keyOf = ({operation, params, body = {}}: StepLine) =>
    JSON.stringify([operation, params, body])
  return {
    add(draft: Draft): void {
      const some = byRun.get(draft.run) ?? new Map<string, Draft>()
      byRun.set(draft.run, some.set(keyOf(draft.line!), draft))
    },
    /** The step that a line sends again. */
    lastOf: (line: StepLine) => byRun.get(line.run)?.get(keyOf(line)),
  }
}

function stepOf(
  id: string,
  {line, result}: {readonly line: StepLine; readonly result?: ResultLine},
  isUndone: boolean,
): HistoryStep | undefined {
  const {run: _, step: __, before, body = {}, ...facts} = line
  const state = result?.result ?? 'unknown'
  if (state === 'unsent') return undefined
  const known = before ?? result?.before
  return {
    ...{...facts, body, id, state, isUndone},
    ...(known && {before: known}),
    ...(result?.record && {result: result.record}),
    ...(result?.error !== undefined && {error: result.error}),
  }
}

/** The IDs of the steps that later steps have reversed. */
function undoneIds(steps: readonly Draft[], runs: readonly string[]): ReadonlySet<string> {
  const order = new Map(runs.map((run, index) => [run, index]))
  const timeOf = ({id}: Draft) => order.get(id.slice(0, id.indexOf('/'))) ?? 0
  const undone = new Set<string>()
  const undos = steps.filter(({undoes, state}) => undoes !== undefined && state === 'done')
  // The newest first, because an undo that was undone itself does not count.
  for (const step of undos.sort((a, b) => timeOf(b) - timeOf(a))) {
    if (!undone.has(step.id)) undone.add(step.undoes!)
  }
  return undone
}

/** The summary of a run: `undone` and `partly undone` count only changes that were done. */
export type RunState = 'done' | 'partly failed' | 'failed' | 'unknown' | 'undone' | 'partly undone'

export function stateOf({steps}: RunSummary): RunState {
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
