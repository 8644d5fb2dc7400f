import {CommandError} from '#lib/cli/terminal/errors.js'
import type {BatchCall, Client, Outcome, Page} from '#lib/client/client.js'
import {isNotFound} from '#lib/client/errors.js'
import {reversalOf} from '#lib/history/reverse.js'
import type {HistoryStep} from '#lib/history/runs.js'
import {inGroups} from '#lib/platform/values.js'
import {endsAll} from '#lib/transfer/many/verdict.js'

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
  for (const some of inGroups(reads, 100)) {
    const outcomes = await readAll(
      client,
      some.map(({call}) => call),
    )
    for (const [index, {step}] of some.entries()) found.set(step, stateIn(outcomes[index]!))
  }
  return found
}

/** The call that reads what a step changed; `undefined` if it cannot be read. */
export function presentCall(step: HistoryStep): BatchCall | undefined {
  return reversalOf(step.operation)?.now?.(step)
}

async function readAll(client: Client, calls: readonly BatchCall[]): Promise<readonly Outcome[]> {
  const batched = calls.length > 1 ? await client.batch(calls) : undefined
  if (batched) return batched
  const outcomes: Outcome[] = []
  for (const {id, input} of calls) {
    try {
      outcomes.push({record: await client.call(id, input)})
    } catch (error) {
      if (endsAll(error)) throw error
      outcomes.push({error})
    }
  }
  return outcomes
}

function stateIn(outcome: Outcome): PresentState {
  return 'error' in outcome && isNotFound(outcome.error) ? {record: undefined} : outcome
}

/** Whether an item is as a step left it. */
export function isAsLeft(step: HistoryStep, state: PresentState | undefined): boolean {
  if (!state || 'error' in state) return false
  return reversalOf(step.operation)?.isAsLeft?.(step, state.record) ?? false
}

/** The error for an item that someone has changed since the command ran. */
export function changedSince(): CommandError {
  return new CommandError(
    'conflict',
    'The item has changed since this command ran.',
    'To undo the change anyway, pass --force ITEM.',
  )
}
