import type {Operation, OperationId} from '#lib/api/operations.js'
import {withRequestedFields} from '#lib/client/calls.js'
import type {ChangeGate, SendCalls} from '#lib/client/change-gate.js'
import type {BatchCall, CallInput, Outcome, Page, SessionState} from '#lib/client/client.js'
import {nameFromKey} from '#lib/platform/state-file.js'
import type {HistoryFile} from './file.js'
import {createItemNames} from './item-names.js'
import type {HistoryLine, ResultLine, RunLine, StepLine} from './lines.js'
import {changeIn, factsOf, recordedRequest, stateAfter, withFacts} from './request.js'
import {reversalOf} from './reverse.js'
import type {SeenRecords} from './seen.js'

export interface RecordOptions {
  /** The first line of the run, written before its first change. */
  readonly start: RunLine
  readonly file: HistoryFile
  readonly seen: SeenRecords
  /** Paths of files, as typed, by ID. */
  readonly paths: Map<string, string>
  readonly operation: (id: OperationId) => Operation
  /** Called with the error if the history cannot be written; the changes are sent anyway. */
  readonly onLoss: (error: unknown) => void
}

/** A step that is being sent. */
interface Sending {
  readonly step: number
  readonly call: BatchCall
  /** The requested fields, if more are requested for the history. */
  readonly fields?: string
  readonly before?: Page
}

/**
 * A gate that records each change before it is sent, and its result afterwards. If the process is killed in between,
 * the step has no result, and counts as unknown.
 */
export function createRecorder(options: RecordOptions): ChangeGate {
  const {start, file, seen, operation, onLoss} = options
  const {run} = start
  const items = createItemNames(seen, options.paths)
  const sessions = new Map<string, Sending | 'foreign'>()
  let steps = 0
  let isStarted = false
  let isLost = false

  function append(lines: readonly HistoryLine[]): void {
    if (isLost) return
    try {
      file.append(isStarted ? lines : [start, ...lines])
      isStarted = true
    } catch (error) {
      isLost = true
      onLoss(error)
    }
  }

  /** The step for a call and its line. */
  function begin(call: BatchCall): {sending: Sending; line: StepLine; gated: BatchCall} {
    steps += 1
    const {history, ...input} = call.input
    const request = recordedRequest(call)
    const reading = reversalOf(call.id)?.before?.(changeIn(call))
    const before = history?.before ?? (reading && seen.find(reading))
    const item = history?.item ?? items.of(call)
    items.changed(call)
    const gated = {...call, input: withFacts(operation(call.id), input)}
    const isWider = gated.input !== input
    return {
      sending: {
        step: steps,
        call,
        before,
        ...(isWider && {fields: String(input.params.fields)}),
      },
      line: {
        run,
        step: steps,
        operation: call.id,
        ...request,
        ...(item !== undefined && {item}),
        ...(before && {before}),
        ...(history?.undoes !== undefined && {undoes: history.undoes}),
      },
      gated,
    }
  }

  function resultOf(sending: Sending, outcome: Outcome): ResultLine {
    const {step} = sending
    if ('error' in outcome)
      return {run, step, result: stateAfter(outcome.error), ...reasonOf(outcome.error)}
    const record = factsOf(outcome.record)
    const before = sending.before ? undefined : readWith(sending, record)
    return {run, step, result: 'done', ...(record && {record}), ...(before && {before})}
  }

  /** The previous state, if it was read in the same request and does not show the change already. */
  function readWith({call}: Sending, result: Page | undefined): Page | undefined {
    const reversal = reversalOf(call.id)
    const change = {...changeIn(call), result}
    const reading = reversal?.before?.(change)
    const found = reading && seen.find(reading)
    return found && !reversal?.isAsLeft?.(change, found) ? found : undefined
  }

  function forget({call}: Sending): void {
    const reading = reversalOf(call.id)?.before?.(changeIn(call))
    if (reading) seen.forget(reading)
  }

  return {
    async calls(calls, send: SendCalls) {
      const begun = calls.map(begin)
      append(begun.map(({line}) => line))
      const all = begun.map(({sending}) => sending)
      const settled = (outcomeOf: (index: number) => Outcome) => {
        append(all.map((sending, index) => resultOf(sending, outcomeOf(index))))
        for (const sending of all) forget(sending)
      }
      let outcomes: readonly Outcome[] | undefined
      try {
        outcomes = await send(begun.map(({gated}) => gated))
      } catch (error) {
        settled(() => ({error}))
        throw error
      }
      if (!outcomes) {
        append(all.map(({step}) => ({run, step, result: 'unsent'})))
        return undefined
      }
      const sent = outcomes
      settled(index => sent[index]!)
      return sent.map((outcome, index) => withoutFacts(outcome, all[index]!))
    },

    async session(call: BatchCall, send: (input: CallInput) => Promise<string>) {
      const {sending, line, gated} = begin(call)
      append([line])
      try {
        const session = await send(gated.input)
        sessions.set(session, sending)
        append([{run, step: sending.step, session: nameOf(session)}])
        return session
      } catch (error) {
        // Without content, nothing has changed.
        append([{run, step: sending.step, result: 'failed', ...reasonOf(error)}])
        throw error
      }
    },

    async transfer(session: string, send: () => Promise<SessionState>) {
      const known = sessions.get(session)
      if (!known) {
        sessions.set(session, 'foreign')
        append([{run, session: nameOf(session)}])
      }
      const state = await send()
      if (!state.isDone) return state
      if (known && known !== 'foreign') {
        append([resultOf(known, {record: state.record})])
        forget(known)
        const stripped = withoutFacts({record: state.record}, known)
        return {isDone: true, record: 'record' in stripped ? (stripped.record ?? {}) : {}}
      }
      const record = factsOf(state.record)
      append([{run, session: nameOf(session), result: 'done', ...(record && {record})}])
      return state
    },

    async cancel(session: string, send: () => Promise<void>) {
      await send()
      const name = nameOf(session)
      append([{run, session: name, result: 'failed', error: 'canceled'}])
    },
  }
}

/** Sends changes without recording them. */
export const withoutHistory: ChangeGate = {
  calls: (calls, send) => send(calls),
  session: ({input}, start) => start(input),
  transfer: (_, send) => send(),
  cancel: (_, send) => send(),
}

/** A name of a session that does not grant access to it. */
function nameOf(session: string): string {
  return nameFromKey(session, 16)
}

/** The outcome without the fields that only the history requested. */
function withoutFacts(outcome: Outcome, {fields}: Sending): Outcome {
  if (fields === undefined || 'error' in outcome || !outcome.record) return outcome
  return {record: withRequestedFields(outcome.record, fields)}
}

function reasonOf(error: unknown): {readonly error: string} {
  const {reason, message} = error as {readonly reason?: string; readonly message?: string}
  return {error: (reason || message || 'failed').slice(0, 200)}
}
