import type {ParameterTexts} from '#lib/client/client.js'
import {groupBy} from '#lib/platform/values.js'
import type {ResultLine, RunLine, SessionLine, StepLine, StepState} from './lines.js'
import type {HistoryReader, PlacedLine} from './reader.js'
import type {SentChange} from './reversal.js'

/**
 * Joins the lines of the history to runs and their steps. Of a step, only what the summaries of runs need is kept in
 * memory, and where its lines are, because there may be millions.
 */

type Lines = AsyncIterable<PlacedLine> | Iterable<PlacedLine>

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
export interface StepSummary extends Pick<HistoryStep, 'id' | 'state' | 'undoes' | 'isUndone'> {
  /** The position of its line. */
  readonly at: number
  /** The position of its result. */
  readonly resultAt?: number
}

/** A command and what became of its changes, in the order in which they were sent. */
export interface RunSummary extends RunLine {
  readonly steps: readonly StepSummary[]
}

interface Draft {
  readonly id: string
  readonly undoes?: string
  readonly at: number
  resultAt?: number
  state: StepState
  isUndone: boolean
}

/** The runs in these lines, the oldest first. A step whose content another process completed belongs to its run. */
export async function readRuns(lines: Lines): Promise<RunSummary[]> {
  const starts = new Map<string, RunLine>()
  const drafts = new Map<string, Draft>()
  const namesOfSessions = createSessions()
  /** The last failed step of each request. */
  const failed = createFailed()
  /** The lines of steps, until their result is known. */
  const pending = new Map<Draft, StepLine>()
  /** The earlier attempts of changes, which failed or have no clear result. */
  const repeated = new Map<Draft, Draft>()
  /** The runs that completed the content of steps of other runs. */
  const adopted = new Map<Draft, string>()
  for await (const {line, at} of lines) {
    if ('command' in line) starts.set(line.run, line)
    else if ('operation' in line) {
      const {undoes} = line
      const id = idOf(line)
      const draft: Draft = {id, state: 'unknown', isUndone: false, at, ...(undoes && {undoes})}
      drafts.set(id, draft)
      pending.set(draft, line)
      const earlier = failed.lastOf(line)
      if (earlier) repeated.set(draft, earlier)
    } else if ('result' in line) {
      const draft = drafts.get(namesOfSessions.idOf(line) ?? '')
      if (!draft) continue
      const step = pending.get(draft)
      if (step && ['failed', 'unknown'].includes(line.result)) failed.add(draft, step)
      pending.delete(draft)
      draft.state = line.result
      draft.resultAt = at
      if (runOf(draft) === line.run) adopted.delete(draft)
      else adopted.set(draft, line.run)
    } else namesOfSessions.add(line)
  }
  const covered = coveredAttempts(drafts.values(), repeated)
  const steps = [...drafts.values()].filter(
    (one): one is StepSummary & Draft => one.state !== 'unsent' && !covered.has(one),
  )
  drafts.clear()
  markUndone(steps, [...starts.keys()])
  const byRun = groupBy<StepSummary & Draft>(steps, step => adopted.get(step) ?? runOf(step))
  return [...starts.values()].map(start => ({...start, steps: byRun.get(start.run) ?? []}))
}

/** The earlier attempts of changes that a later one stands for. An attempt that failed does not show that an earlier one did. */
function coveredAttempts(
  drafts: Iterable<Draft>,
  repeated: ReadonlyMap<Draft, Draft>,
): ReadonlySet<Draft> {
  const covered = new Set<Draft>()
  for (const draft of drafts) {
    if (draft.state === 'unsent') continue
    for (let earlier = repeated.get(draft); earlier; earlier = repeated.get(earlier)) {
      if (draft.state !== 'failed' || earlier.state === 'failed') covered.add(earlier)
    }
  }
  return covered
}

/** Reads a step in full. Throws the system's error. */
export function readHistoryStep(
  {lineAt}: Pick<HistoryReader, 'lineAt'>,
  {id, state, isUndone, at, resultAt}: StepSummary,
): HistoryStep {
  const {run: _, step: __, before, body = {}, ...facts} = lineAt(at) as StepLine
  const result = resultAt === undefined ? undefined : (lineAt(resultAt) as ResultLine)
  const known = before ?? result?.before
  return {
    ...{...facts, body, id, state, isUndone},
    ...(known && {before: known}),
    ...(result?.record && {result: result.record}),
    ...(result?.error !== undefined && {error: result.error}),
  }
}

function idOf({run, step}: StepLine | ResultLine | SessionLine): string {
  return `${run}/${step}`
}

/** The run that sent a step. */
function runOf({id}: Pick<Draft, 'id'>): string {
  return id.slice(0, id.indexOf('/'))
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
    add(draft: Draft, line: StepLine): void {
      const some = byRun.get(line.run) ?? new Map<string, Draft>()
      byRun.set(line.run, some.set(keyOf(line), draft))
    },
    /** The step that a line sends again. */
    lastOf: (line: StepLine) => byRun.get(line.run)?.get(keyOf(line)),
  }
}

/** Marks the steps that later steps have reversed. */
function markUndone(steps: readonly Draft[], runs: readonly string[]): void {
  const undos = steps.filter(({undoes, state}) => undoes !== undefined && state === 'done')
  const order = new Map(runs.map((run, index) => [run, index]))
  const timeOf = (step: Draft) => order.get(runOf(step)) ?? 0
  const undone = new Set<string>()
  // The newest first, because an undo that was undone itself does not count.
  for (const step of undos.sort((a, b) => timeOf(b) - timeOf(a))) {
    if (!undone.has(step.id)) undone.add(step.undoes!)
  }
  for (const step of steps) step.isUndone = undone.has(step.id)
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
