import type {ParameterTexts} from '#lib/client/client.js'
import type {ResultLine, RunLine, SessionLine, StepLine, StepState} from './lines.js'
import type {HistoryReader, PlacedLine} from './reader.js'
import type {SentChange} from './reversal.js'
import {
  createStepColumns,
  joined,
  type StepColumns,
  type StepList,
  type StepPlace,
  type StepSummary,
} from './step-columns.js'

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

/** A command and what became of its changes, in the order in which they were sent. */
export interface RunSummary extends RunLine {
  readonly steps: StepList
}

/** The runs in these lines, the oldest first. A step whose content another process completed belongs to its run. */
export function readRuns(lines: Iterable<PlacedLine>): RunSummary[] {
  const starts = new Map<string, RunLine>()
  const sent = new Map<string, StepColumns>()
  const namesOfSessions = createSessions()
  /** The last failed step of each request. */
  const failed = createFailed()
  /** The lines of steps, by ID, until their result is known. */
  const pending = new Map<string, StepLine>()
  /** The IDs of the earlier attempts of changes, which failed or have no clear result. */
  const repeated = new Map<string, string>()
  /** The runs that completed the content of steps of other runs, by the IDs of these steps. */
  const adopted = new Map<string, string>()
  for (const {line, at} of lines) {
    if ('command' in line) starts.set(line.run, line)
    else if ('operation' in line) {
      const id = idOf(line)
      const own = sent.get(line.run) ?? createStepColumns()
      sent.set(line.run, own)
      own.add(line, at)
      pending.set(id, line)
      const earlier = failed.lastOf(line)
      if (earlier !== undefined) repeated.set(id, earlier)
    } else if ('result' in line) {
      const place = namesOfSessions.stepOf(line)
      const isKnown = place && sent.get(place.run)?.setResult(place.step, line.result, at)
      if (!isKnown) continue
      const id = idOf(place)
      const step = pending.get(id)
      if (step && ['failed', 'unknown'].includes(line.result)) failed.add(step)
      pending.delete(id)
      if (place.run === line.run) adopted.delete(id)
      else adopted.set(id, line.run)
    } else namesOfSessions.add(line)
  }
  const covered = coveredAttempts(sent, repeated)
  // Runs whose first line was lost count as the oldest.
  const unknown = [...sent.keys()].filter(run => !starts.has(run))
  markUndone(sent, [...unknown, ...starts.keys()])
  return [...starts.values()].map(start => {
    const {run} = start
    const others = [...adopted]
      .filter(([id, by]) => by === run && !covered.has(id))
      .map(([id]) => placeOf(id))
    const isOwn = (step: number) => {
      const id = idOf({run, step})
      return !covered.has(id) && !adopted.has(id)
    }
    const all = covered.size === 0 && adopted.size === 0
    const parts = others.map(({run: by, step}) => sent.get(by)!.listOf(one => one === step))
    const own = sent.get(run)?.listOf(all ? undefined : isOwn)
    return {...start, steps: joined([...parts, ...(own ? [own] : [])])}
  })
}

/**
 * The IDs of the earlier attempts of changes that a later one stands for. An attempt that failed does not show that an
 * earlier one did.
 */
function coveredAttempts(
  sent: ReadonlyMap<string, StepColumns>,
  repeated: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const covered = new Set<string>()
  const stateOfStep = (id: string) => {
    const {run, step} = placeOf(id)
    return sent.get(run)?.stateOf(step)
  }
  for (const id of repeated.keys()) {
    const state = stateOfStep(id)
    if (state === 'unsent') continue
    for (let earlier = repeated.get(id); earlier !== undefined; earlier = repeated.get(earlier)) {
      if (state !== 'failed' || stateOfStep(earlier) === 'failed') covered.add(earlier)
    }
  }
  return covered
}

/** Reads a step in full. Throws the system's error. */
export function readHistoryStep(
  {lineAt}: Pick<HistoryReader, 'lineAt'>,
  {state, isUndone, at, resultAt}: StepSummary,
): HistoryStep {
  const line = lineAt(at) as StepLine
  const {run: _, step: __, before, body = {}, ...facts} = line
  const result = resultAt === undefined ? undefined : (lineAt(resultAt) as ResultLine)
  const known = before ?? result?.before
  return {
    ...{...facts, body, id: idOf(line), state, isUndone},
    ...(known && {before: known}),
    ...(result?.record && {result: result.record}),
    ...(result?.error !== undefined && {error: result.error}),
  }
}

function idOf({run, step}: StepPlace): string {
  return `${run}/${step}`
}

function placeOf(id: string): StepPlace {
  const [run = '', step] = id.split('/')
  return {run, step: Number(step)}
}

/** The steps whose content sessions send. */
function createSessions() {
  const steps = new Map<string, StepPlace>()
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
  const byRun = new Map<string, Map<string, string>>()
  const keyOf = ({operation, params, body = {}}: StepLine) =>
    JSON.stringify([operation, params, body])
  return {
    add(line: StepLine): void {
      const some = byRun.get(line.run) ?? new Map<string, string>()
      byRun.set(line.run, some.set(keyOf(line), idOf(line)))
    },
    /** The ID of the step that a line sends again. */
    lastOf: (line: StepLine) => byRun.get(line.run)?.get(keyOf(line)),
  }
}

/** Marks the steps that later steps have reversed. */
function markUndone(sent: ReadonlyMap<string, StepColumns>, runs: readonly string[]): void {
  const undone = new Set<string>()
  // The newest first, because an undo that was undone itself does not count.
  for (const run of runs.toReversed()) {
    for (const [step, undoes] of sent.get(run)?.undos() ?? []) {
      if (!undone.has(idOf({run, step}))) undone.add(undoes)
    }
  }
  for (const id of undone) {
    const {run, step} = placeOf(id)
    sent.get(run)?.setUndone(step)
  }
}

/** The summary of a run: `undone` and `partly undone` count only changes that were done. */
export type RunState = 'done' | 'partly failed' | 'failed' | 'unknown' | 'undone' | 'partly undone'

export function stateOf({steps}: Pick<RunSummary, 'steps'>): RunState {
  const counts = {done: 0, failed: 0, unknown: 0, undone: 0, open: 0}
  for (const {state, isUndone} of steps) {
    counts[state] += 1
    if (isUndone) counts.undone += 1
    else if (state !== 'failed') counts.open += 1
  }
  const {done, unknown, undone, open} = counts
  if (undone > 0) return open === 0 ? 'undone' : 'partly undone'
  if (unknown > 0) return 'unknown'
  if (done === steps.length) return 'done'
  return done === 0 ? 'failed' : 'partly failed'
}
