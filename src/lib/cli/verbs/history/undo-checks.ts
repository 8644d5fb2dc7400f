import {isDeepStrictEqual} from 'node:util'
import {isReached} from '#lib/api/reached.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import type {BatchCall, Client, Outcome, Page} from '#lib/client/client.js'
import {isNotFound} from '#lib/client/errors.js'
import {reversalOf} from '#lib/history/reverse.js'
import type {HistoryStep} from '#lib/history/runs.js'
import {gatherCalls, isOfOneCall} from '#lib/transfer/remote/gather.js'

/** Compares the items of the history with their present state in the service. */

/** The present state of an item: its record, `undefined` if it was not found, or the error of reading it. */
export type PresentState = {readonly record: Page | undefined} | {readonly error: unknown}

/** Reads the items of steps, in batches. Throws errors that concern all of them. */
export async function readPresent(
  client: Client,
  steps: readonly HistoryStep[],
): Promise<Map<HistoryStep, PresentState>> {
  const found = new Map<HistoryStep, PresentState>()
  const reads = steps.flatMap(step => {
    const call = presentCall(step)
    return call ? [{step, call}] : []
  })
  const outcomes = await gatherCalls(client).batch(reads.map(({call}) => call))
  for (const [index, {step}] of reads.entries()) {
    const outcome = outcomes![index]!
    if ('error' in outcome && !isOfOneCall(outcome.error)) throw outcome.error
    found.set(step, stateIn(outcome))
  }
  return found
}

/** The call that reads what a step changed; `undefined` if it cannot be read. */
export function presentCall(step: HistoryStep): BatchCall | undefined {
  return reversalOf(step.operation)?.now?.(step)
}

/** The state that the outcome of a read shows. */
export function stateIn(outcome: Outcome): PresentState {
  return 'error' in outcome && isNotFound(outcome.error) ? {record: undefined} : outcome
}

/** Whether an item is as a step left it. */
export function isAsLeft(step: HistoryStep, state: PresentState | undefined): boolean {
  if (!state || 'error' in state) return false
  return reversalOf(step.operation)?.isAsLeft?.(step, state.record) ?? false
}

/** Whether a call that undoes a step has been carried out already, such as by an undo that was killed. */
export function isUndoneBy(
  {id, input}: BatchCall,
  step: HistoryStep,
  state: PresentState | undefined,
): boolean {
  if (!state || 'error' in state) return false
  if (isReached({id, ...input}, state.record)) return true
  const sent = {params: input.params, body: input.body ?? {}}
  const {now, isAsLeft} = reversalOf(id) ?? {}
  // The record was read for the step, and may have other fields than the call needs.
  return (
    isAsLeft !== undefined &&
    isDeepStrictEqual(now?.(sent), presentCall(step)) &&
    isAsLeft(sent, state.record)
  )
}

/** Why a step cannot be undone as its item is now; `undefined` if nothing prevents it. */
export function conflictIn(step: HistoryStep, state: PresentState): unknown {
  if ('error' in state) return state.error
  return isAsLeft(step, state) ? undefined : changedSince()
}

/** The error for a change that has to wait for one that is not undone, such as for that of a file in a new folder. */
export function blockedBefore(): CommandError {
  return new CommandError(
    'conflict',
    'A change that must be undone first cannot be undone.',
    'To undo a change even though its item changed later, pass --force ITEM.',
  )
}

/** The error for an item that someone has changed since the command ran. */
export function changedSince(): CommandError {
  return new CommandError(
    'conflict',
    'The item has changed since the original command ran.',
    'To undo the change anyway, pass --force ITEM.',
  )
}
