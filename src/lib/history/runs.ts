import type {ParameterTexts} from '#lib/client/client.js'
import {groupBy} from '#lib/platform/values.js'
import type {ResultLine, RunLine, SessionLine, StepLine, StepState} from './lines.js'
import type {HistoryReader, PlacedLine} from './reader.js'
import type {SentChange} from './reversal.js'

/**
 * Joins the lines of the history to runs and their steps. Of a step, only what the summaries of runs need is kept in
 * memory, and where its lines are, because there may be millions.
 */

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
export interface StepSummary extends Pick<HistoryStep, 'state' | 'undoes' | 'isUndone'> {
  /** The run that sent it, and its number there. */
  readonly run: string
  readonly step: number
  /** The position of its line. */
  readonly at: number
  /** The position of its result. */
  readonly resultAt?: number
}

/** A command and what became of its changes, in the order in which they were sent. */
export interface RunSummary extends RunLine {
  readonly steps: readonly StepSummary[]
}

interface Draft extends Omit<StepSummary, 'resultAt' | 'state' | 'isUndone'> {
  resultAt: number | undefined
  state: StepState
  isUndone: boolean
}

/** The runs in these lines, the oldest first. A step whose content another process completed belongs to its run. */
export function readRuns(lines: Iterable<PlacedLine>): RunSummary[] {
  const starts = new Map<string, RunLine>()
  const drafts = createDrafts()
  const namesOfSessions = createSessions()
  /** The last failed step of each request. */
  const failed = createFailed()
  /** The lines of steps, until their result is known. */
  const pending = new Map<Draft, StepLine>()
  /** The earlier attempts of changes, which failed or have no clear result. */
  const repeated = new Map<Draft, Draft>()
  /** The runs that completed the content of steps of other runs. */
  const adopted = new Map<Draft, string>()
  for (const {line, at} of lines) {
    if ('command' in line) starts.set(line.run, line)
    else if ('operation' in line) {
      const draft = drafts.add(line, at)
      pending.set(draft, line)
      const earlier = failed.lastOf(line)
      if (earlier) repeated.set(draft, earlier)
    } else if ('result' in line) {
      const draft = drafts.get(namesOfSessions.stepOf(line))
      if (!draft) continue
      const step = pending.get(draft)
      if (step && ['failed', 'unknown'].includes(line.result)) failed.add(draft, step)
      pending.delete(draft)
      draft.state = line.result
      draft.resultAt = at
      if (draft.run === line.run) adopted.delete(draft)
      else adopted.set(draft, line.run)
    } else namesOfSessions.add(line)
  }
  const covered = coveredAttempts(drafts.values(), repeated)
  const steps = [...drafts.values()].filter(
    (one): one is StepSummary & Draft => one.state !== 'unsent' && !covered.has(one),
  )
  markUndone(steps, [...starts.keys()])
  const byRun = groupBy<StepSummary & Draft>(steps, step => adopted.get(step) ?? step.run)
  return [...starts.values()].map(start => ({...start, steps: byRun.get(start.run) ?? []}))
}

/** The steps by run and number. */
function createDrafts() {
  const byRun = new Map<string, Draft[]>()
  return {
    add({run, step, undoes}: StepLine, at: number): Draft {
      const some = byRun.get(run) ?? []
      byRun.set(run, some)
      // All steps share the text of their run.
      const shared = some[0]?.run ?? run
      const [resultAt, state, isUndone] = [undefined, 'unknown', false] as const
      const draft: Draft = {run: shared, step, at, resultAt, state, isUndone, undoes}
      some.push(draft)
      return draft
    },
    get(place: Pick<Draft, 'run' | 'step'> | undefined): Draft | undefined {
      if (!place) return undefined
      const some = byRun.get(place.run) ?? []
      // Steps have consecutive numbers, unless lines are missing.
      const usual = some[place.step - (some[0]?.step ?? 1)]
      return usual?.step === place.step ? usual : some.find(({step}) => step === place.step)
    },
    *values(): Generator<Draft> {
      for (const some of byRun.values()) yield* some
    },
  }
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
  summary: StepSummary,
): HistoryStep {
  const {state, isUndone, at, resultAt} = summary
  const {run: _, step: __, before, body = {}, ...facts} = lineAt(at) as StepLine
  const result = resultAt === undefined ? undefined : (lineAt(resultAt) as ResultLine)
  const known = before ?? result?.before
  return {
    ...{...facts, body, id: idOf(summary), state, isUndone},
    ...(known && {before: known}),
    ...(result?.record && {result: result.record}),
    ...(result?.error !== undefined && {error: result.error}),
  }
}

function idOf({run, step}: Pick<StepSummary, 'run' | 'step'>): string {
  return `${run}/${step}`
}

/** The steps whose content sessions send. */
function createSessions() {
  const steps = new Map<string, Pick<StepSummary, 'run' | 'step'>>()
  return {
    add({session, run, step}: SessionLine): void {
      if (step !== undefined) steps.set(session, {run, step})
    },
    /** The step of a result. */
    stepOf: ({run, step, session}: ResultLine) =>
      step === undefined ? steps.get(session!) : {run, step},
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
  const timeOf = ({run}: Draft) => order.get(run) ?? 0
  const undone = new Set<string>()
  // The newest first, because an undo that was undone itself does not count.
  for (const step of undos.sort((a, b) => timeOf(b) - timeOf(a))) {
    if (!undone.has(idOf(step))) undone.add(step.undoes!)
  }
  if (undone.size === 0) return
  for (const step of steps) step.isUndone = undone.has(idOf(step))
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
