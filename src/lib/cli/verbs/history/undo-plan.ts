import {createsFile} from '#lib/api/operations.js'
import {isObject} from '#lib/api/validate.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import type {Client, Page} from '#lib/client/client.js'
import type {Reverse} from '#lib/history/reversal.js'
import {reversalOf, reverseOf} from '#lib/history/reverse.js'
import type {HistoryRun, HistoryStep} from '#lib/history/runs.js'
import {conflictIn, isAsLeft, isUndoneBy, type PresentState, readPresent} from './undo-checks.js'

/** Decides how to undo the changes of commands. */

/** A change to undo. */
export interface Undoing {
  readonly step: HistoryStep
  /** The ETag that its item must still have. */
  readonly etag?: string
  /** The later change of the same item, which is undone first. */
  readonly after?: Undoing
  /** Why it is left alone. */
  readonly conflict?: unknown
}

/** How to reverse the step of an undoing. Not part of it, because there may be very many. */
export function reversingOf({operation, ...change}: HistoryStep): Reversing {
  return reverseOf(operation, change) as Reversing
}

type Reversing = Exclude<Reverse, {readonly reason: string}>

/** A change that cannot be undone, and why. */
export interface Lasting {
  readonly step: HistoryStep
  readonly reason: string
}

export interface UndoPlan {
  /** The changes to undo, the newest first. */
  readonly undoings: readonly Undoing[]
  readonly lasting: readonly Lasting[]
}

/** Whether to undo a step even if someone has changed its item since then. */
export type IsForced = (step: HistoryStep) => boolean

/** Selects the steps of items by path, name or ID. Throws `UsageError` for an item that none of the steps changed. */
export function forcedItems(items: readonly string[], runs: readonly HistoryRun[]): IsForced {
  const namesOf = (step: HistoryStep) => [nameOf(step), targetOf(step).split(' ')[0]]
  const known = new Set(runs.flatMap(({steps}) => steps.flatMap(namesOf)))
  const unknown = items.find(item => !known.has(item))
  if (unknown !== undefined) {
    throw new UsageError(
      `Invalid --force: these commands did not change ${unknown}.`,
      'Pass an item as `drv history --steps` lists it, or its ID.',
    )
  }
  return step => namesOf(step).some(name => name !== undefined && items.includes(name))
}

export interface UndoChoice {
  readonly isForced: IsForced
  /** Compare all items now, because the reverse calls are not sent at once. */
  readonly isForLater: boolean
}

/**
 * The plan for undoing commands, the newest change first. Reads from the service only what the history does not know,
 * unless it is for later.
 */
export async function planUndo(
  client: Client,
  runs: readonly HistoryRun[],
  {isForced, isForLater}: UndoChoice,
): Promise<UndoPlan> {
  const newestFirst = [...runs].sort((a, b) => (a.time < b.time ? 1 : -1))
  const recorded = newestFirst
    .flatMap(({steps}) => [...steps].reverse())
    .filter(({state, isUndone}) => state !== 'failed' && !isUndone)
  const {steps, lasting} = await withoutUnknown(client, recorded)
  const open: HistoryStep[] = []
  for (const step of steps) {
    const reverse = reverseOf(step.operation, step)
    if ('reason' in reverse) lasting.push({step, reason: reverse.reason})
    else if (reverse.calls.length > 0 || reverse.restores) open.push(step)
  }
  const newest = newestByTarget(open)
  const isChecked = (step: HistoryStep) =>
    !isForced(step) &&
    newest.get(targetOf(step)) === step &&
    (isForLater || etagOf(step) === undefined)
  const present = await readPresent(client, open.filter(isChecked))
  return {undoings: inOrder(open, {newest, present, isForced}), lasting}
}

/** Decides from the service whether steps without a result were carried out. */
async function withoutUnknown(client: Client, recorded: readonly HistoryStep[]) {
  const present = await readPresent(
    client,
    recorded.filter(({state}) => state === 'unknown'),
  )
  const lasting: Lasting[] = []
  const steps = recorded.flatMap((step): HistoryStep[] => {
    if (step.state !== 'unknown') return [step]
    const state = present.get(step)
    if (!state || 'error' in state) {
      lasting.push({step, reason: 'drv does not know whether the service made this change'})
      return []
    }
    if (!isAsLeft(step, state)) return []
    const result = resultIn(step, state.record)
    return [{...step, ...(result && {result})}]
  })
  return {steps, lasting}
}

function resultIn(step: HistoryStep, record: Page | undefined): Page | undefined {
  const find = reversalOf(step.operation)?.resultIn
  return record && (find ? find(step, record) : record)
}

interface Ordering {
  readonly newest: ReadonlyMap<string, HistoryStep>
  readonly present: ReadonlyMap<HistoryStep, PresentState>
  readonly isForced: IsForced
}

/** Orders changes of the same item one after the other, and the removal of a new item after all that is in it. */
function inOrder(open: readonly HistoryStep[], {newest, present, isForced}: Ordering): Undoing[] {
  const lastOf = new Map<string, Undoing>()
  const lastIn = new Map<string, Undoing>()
  return open.map(step => {
    const target = targetOf(step)
    const isNewest = newest.get(target) === step
    const after = lastOf.get(target) ?? lastIn.get(target)
    const state = present.get(step)
    const conflict = state && !isUndone(step, state) ? conflictIn(step, state) : undefined
    const undoing: Undoing = {
      step,
      ...(after && {after}),
      ...(isNewest && !isForced(step) && state === undefined && {etag: etagOf(step)}),
      ...(conflict !== undefined && {conflict}),
    }
    lastOf.set(target, undoing)
    for (const folder of foldersOf(step)) lastIn.set(folder, undoing)
    return undoing
  })
}

/** Whether the only call that undoes a step has been carried out already. */
function isUndone(step: HistoryStep, state: PresentState): boolean {
  const {calls, restores} = reversingOf(step)
  const [call, second] = calls
  return call !== undefined && !second && !restores && isUndoneBy(call, step, state)
}

/** The newest step of each item. */
function newestByTarget(steps: readonly HistoryStep[]): Map<string, HistoryStep> {
  const newest = new Map<string, HistoryStep>()
  for (const step of steps) {
    const target = targetOf(step)
    if (!newest.has(target)) newest.set(target, step)
  }
  return newest
}

/** The item that a step changed: a file, or a part of it with a tag of its own. */
function targetOf({operation, params, body, result}: HistoryStep): string {
  const [resource] = operation.split('.')
  const file = String(params.fileId ?? params.childId ?? '')
  switch (resource) {
    case 'permissions':
      return `${file} permission ${String(result?.id ?? params.permissionId ?? '')}`
    case 'properties':
      return `${file} property ${String(params.propertyKey ?? body.key ?? '')}`
    case 'revisions':
      return `${file} revision ${String(params.revisionId ?? '')}`
    case 'drives':
      return String(params.driveId ?? result?.id ?? '')
    case 'children':
      return String(params.childId ?? body.id ?? '')
    default:
      if (operation === 'files.modifyLabels') return `${file} labels`
      return createsFile(operation) ? String(result?.id ?? body.id ?? '') : file
  }
}

/** The folders that a step put something into. */
function foldersOf({params, body}: HistoryStep): string[] {
  const parents: unknown[] = Array.isArray(body.parents) ? body.parents : []
  const ids = [params.addParents, params.folderId, ...parents.map(one => isObject(one) && one.id)]
  return ids.filter(id => typeof id === 'string')
}

/** The tag with which a step left its item, if the reverse call can be made to depend on it. */
function etagOf({operation, result}: HistoryStep): string | undefined {
  const isTagged = /^(files|permissions|properties|revisions)\./.test(operation)
  return isTagged && typeof result?.etag === 'string' ? result.etag : undefined
}

/** The name of a step's item for people. */
export function nameOf({item, params, body, result}: HistoryStep): string {
  const name = item ?? result?.title ?? body.title ?? result?.name ?? body.name
  return String(name ?? params.fileId ?? params.childId ?? params.driveId ?? 'an item')
}
