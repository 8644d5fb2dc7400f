import type {Row} from '#lib/cli/output/format.js'
import {reverseOf} from '#lib/history/reverse.js'
import {type HistoryStep, type RunSummary, stateOf} from '#lib/history/runs.js'

/** The rows of `drv history`. */

export const RUN_COLUMNS = ['id', 'time', 'changes', 'state', 'command'] as const
export const HISTORY_STEP_COLUMNS = [
  ...(['id', 'time', 'operation', 'item', 'state', 'undoable', 'reason'] as const),
] as const
/** Columns that only machine formats show by default. */
export const MORE_COLUMNS = ['profile', 'service', 'fileId', 'error'] as const

/** A command as a row. */
export function runRow(run: RunSummary): Row {
  const {run: id, time, profile, service, command, steps} = run
  let changes = 0
  for (const {state} of steps) if (state !== 'failed') changes += 1
  return {id, time, changes, state: stateOf(run), command, profile, service}
}

/** A change as a row; `undoable` says whether it can be undone, and `reason` why not. */
export function stepRow(step: HistoryStep, {time}: RunSummary): Row {
  const {id, operation, item, params, state, error, isUndone} = step
  const reason = lastingReason(step)
  // The response of other operations is a part of the file, such as a permission.
  const isOfFile = /^(files|children)\./.test(operation)
  const newId = isOfFile ? (step.result?.id ?? step.body.id) : undefined
  const fileId = params.fileId ?? params.childId ?? newId
  return {
    id,
    time,
    operation,
    ...(item !== undefined && {item}),
    ...(fileId !== undefined && {fileId}),
    state: isUndone ? 'undone' : state,
    undoable: reason === undefined,
    ...(reason !== undefined && {reason}),
    ...(error !== undefined && {error}),
  }
}

/** Why a change cannot be undone; `undefined` if it can. */
function lastingReason(step: HistoryStep): string | undefined {
  if (step.state === 'failed') return 'the change failed'
  if (step.isUndone) return 'it is already undone'
  const reverse = reverseOf(step.operation, step)
  if ('reason' in reverse) return reverse.reason
  return reverse.calls.length > 0 || reverse.restores ? undefined : 'it changed nothing'
}

/** Whether a path leads to the item of a step, or to a folder that it is in. `path` may be an ID. */
export function concerns(step: HistoryStep, path: string): boolean {
  const {item = '', params, body, result} = step
  const name = path.replace(/(?<=.)\/+$/, '')
  const ids = [params.fileId, params.childId, params.folderId, params.driveId, body.id, result?.id]
  return name === '/'
    ? item.startsWith('/')
    : item === name || item.startsWith(`${name}/`) || ids.includes(name)
}
