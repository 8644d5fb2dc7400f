import {posix} from 'node:path'
import {operation} from '#lib/api/operations.js'
import {type Change, changeOf} from '#lib/cli/changes/change.js'
import type {HistoryStep} from '#lib/history/runs.js'
import {nameOf, reversingOf} from './undo-items.js'

/** What undoing a step does, for people. */
export function changeOfUndoing(step: HistoryStep): Change {
  const {calls, restores} = reversingOf(step)
  const [call] = calls
  const name = nameOf(step)
  if (restores || !call) return {action: 'update content', thing: name}
  const {id, input} = call
  const {emailAddress, domain} = step.result ?? step.before ?? {}
  const who = emailAddress ?? domain
  const folder = step.item?.includes('/') ? posix.dirname(step.item) : undefined
  const isMove = input.params.addParents !== undefined || id === 'parents.insert'
  const thing = isMove || step.body.title !== undefined ? currentName(step) : name
  const args = {file_id: thing, ...(who !== undefined && {permission_id: String(who)})}
  const flags = folder === undefined ? {} : {'add-parents': folder, id: folder}
  const change = changeOf(operation(id), {args, flags}, input) ?? {action: 'update', thing}
  return {...change, ...(isMove && {from: undefined}), ...(change.of !== undefined && {of: name})}
}

/** The name that an item has after a renaming. */
function currentName(step: HistoryStep): string {
  const {title} = step.body
  const name = nameOf(step)
  const isRenamed = typeof title === 'string' && step.operation !== 'files.insert'
  if (!isRenamed) return name
  return name.includes('/') ? posix.join(posix.dirname(name), title) : title
}
