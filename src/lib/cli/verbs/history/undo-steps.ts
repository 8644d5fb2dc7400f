import {operation} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import type {PlannedRequest} from '#lib/cli/guard/curl.js'
import type {Step, StepGate} from '#lib/cli/run/plan.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {makeRevisionNewest, restoreRequest, revisionsOf} from '#lib/cli/verbs/content/revisions.js'
import {isStale} from '#lib/client/calls.js'
import type {BatchCall, Client, HistoryNote, Page} from '#lib/client/client.js'
import {isNotFound, ServiceError} from '#lib/client/errors.js'
import {textOf} from '#lib/history/reversal.js'
import {reversalOf} from '#lib/history/reverse.js'
import type {HistoryStep} from '#lib/history/runs.js'
import type {WhenStale} from '#lib/transfer/many/queue.js'
import type {RecordedHistory} from './read-history.js'
import {changeOfUndoing} from './undo-change.js'
import {
  blockedBefore,
  changedSince,
  conflictIn,
  isUndoneBy,
  presentCall,
  stateIn,
} from './undo-checks.js'
import {etagAfter, nameOf, reversingOf} from './undo-items.js'
import {levelOf, stepIn, type Undoing, type Undoings} from './undo-order.js'
import type {IsForced} from './undo-plan.js'

/** Turns the changes to undo into the steps of a plan, one by one, because a step takes more memory than its change. */

interface Undo {
  readonly context: Context
  readonly client: Client
  readonly history: RecordedHistory
  readonly isForced: IsForced
}

/** The requests of all changes as steps, for a dry run or a plan. */
export async function* previewSteps(undo: Undo, undoings: Undoings): AsyncGenerator<Step> {
  const isPlan = undo.context.options.plan !== undefined
  /** The last steps of the changes that open a gate; only a plan shows what a step waits for. */
  const opening = new Map<StepGate, Step[]>()
  for (const found of undoings) {
    const {gates, opens} = found
    const isBlocked = gates.some(({failure}) => failure)
    const undoing = isBlocked ? {...found, conflict: found.conflict ?? blockedBefore()} : found
    const {conflict} = undoing
    if (conflict !== undefined) for (const gate of opens) gate.failure ??= {error: conflict}
    let before = gates.flatMap(gate => opening.get(gate) ?? [])
    for (const one of shownSteps(undo, undoing)) {
      const [after, ...alsoAfter] = before
      const step = {...one, ...(after && {after}), ...(alsoAfter.length > 0 && {alsoAfter})}
      before = [step]
      yield step
    }
    for (const gate of isPlan ? opens : []) {
      const steps = opening.get(gate) ?? []
      steps.push(...before)
      opening.set(gate, steps)
    }
  }
}

/** The steps, those that wait for none first, so that they fill batches. */
export async function* undoSteps(undo: Undo, undoings: Undoings): AsyncGenerator<Step> {
  const levels: number[][] = []
  for (let number = 0; number < undoings.length; number++) {
    ;(levels[levelOf(undoings.at(number))] ??= []).push(number)
  }
  for (const level of levels) {
    for (const number of level) {
      const undoing = undoings.at(number)
      const {gates, opens} = undoing
      yield {...stepOf(undo, undoing), gates, opens}
    }
  }
}

/** The requests of a change as steps of their own, for a dry run or a plan; a conflict is a single step. */
function shownSteps(undo: Undo, undoing: Undoing): Step[] {
  if (undoing.conflict !== undefined) return [stepOf(undo, undoing)]
  const step = stepIn(undo.history, undoing)
  const etag = etagOf(undoing, step)
  const {calls, restores} = reversingOf(step)
  const {rowOf: _, ...base} = stepOf(undo, undoing)
  const steps = calls.map((call, index): Step => {
    const isLast = index === calls.length - 1
    const isFirst = index === 0 && !restores
    const sent = reverseCall(step, call, {etag: isFirst ? etag : undefined, isLast})
    return {...base, ...(!isLast && {isAside: true}), action: call.id, call: sent}
  })
  if (!restores) return steps
  const isLast = calls.length === 0
  const preview = async (): Promise<PlannedRequest> => {
    const revision = await revisionBefore(undo, step)
    const [id, input, files] = await restoreRequest(undo.context, restores.fileId, revision)
    return [id, {...input, history: noteOf(step, isLast)}, files]
  }
  const restore = {...base, ...(!isLast && {isAside: true}), action: 'files.update', preview}
  return [{...restore, work: async () => undefined}, ...steps]
}

function stepOf(undo: Undo, undoing: Undoing): Step {
  const {conflict} = undoing
  const step = stepIn(undo.history, undoing)
  const etag = etagOf(undoing, step)
  const label = nameOf(step)
  const base = {
    original: step.id,
    label,
    change: () => changeOfUndoing(step),
  }
  if (conflict !== undefined) return {...base, error: conflict}
  const reverse = reversingOf(step)
  const action = reverse.restores ? 'files.update' : reverse.calls[0]!.id
  const rowOf = () => ({item: label, undone: step.operation, action, id: step.id})
  const common = {...base, rowOf, action}
  const [call, second] = reverse.calls
  if (call && !second && !reverse.restores) {
    const whenStale = afterChange(undo, step, call, true)
    return {
      ...common,
      call: reverseCall(step, call, {etag, isLast: true}),
      ...(whenStale && {whenStale}),
      recover: async error => ({error: explained(step, error)}),
    }
  }
  return {
    ...common,
    work: () => sendAll(undo, step, etag),
  }
}

/** The ETag that the item of a change must still have, if any. */
function etagOf({isTagged}: Undoing, step: HistoryStep): string | undefined {
  return isTagged ? etagAfter(step) : undefined
}

/** Restores content, then sends the calls one after the other. */
async function sendAll(
  undo: Undo,
  step: HistoryStep,
  etag: string | undefined,
): Promise<Page | undefined> {
  const {calls, restores} = reversingOf(step)
  let record: Page | undefined
  if (restores) record = await restoreContent(undo, step, etag, calls.length === 0)
  for (const [index, call] of calls.entries()) {
    const isLast = index === calls.length - 1
    const isFirst = index === 0 && !restores
    const {id, input} = reverseCall(step, call, {etag: isFirst ? etag : undefined, isLast})
    try {
      record = await undo.client.call(id, input)
    } catch (error) {
      const whenStale = isStale(error) ? afterChange(undo, step, call, isLast) : undefined
      if (!whenStale) throw explained(step, error)
      const {read, decide} = whenStale
      const decided = decide({record: await undo.client.call(read.id, read.input)})
      if ('error' in decided) throw decided.error
      record = await undo.client.call(decided.id, decided.input)
    }
  }
  return record
}

interface Reverting {
  /** The ETag that the item must still have. */
  readonly etag?: string
  /** Whether it is the last call of its step. */
  readonly isLast: boolean
  /** Whether an undo that was killed may have sent it. With an ETag, `afterChange` decides that. */
  readonly mayBeDone?: boolean
}

/** The call with what the history records of it. */
function reverseCall(
  step: HistoryStep,
  {id, input}: BatchCall,
  {
    etag,
    isLast,
    mayBeDone = etag === undefined || operation(id).httpMethod === 'DELETE',
  }: Reverting,
): BatchCall {
  const left = reversalOf(step.operation)?.left?.(step)
  const before = left && beforeCall({id, input}, left)
  const history = {...noteOf(step, isLast), ...(before && {before})}
  const isFile = /^files\.(patch|trash|untrash)$/.test(id)
  const params = {...input.params, ...(isFile && {fields: 'id,title,mimeType'})}
  const once = {mayBeDone, ...(etag !== undefined && {ifMatch: etag})}
  return {id, input: {...input, params, history, ...once}}
}

/** The state before a reverse call, from the state that the change left. */
function beforeCall({id, input: {body = {}}}: BatchCall, left: Page): Page {
  // A property that a change of the file added is removed by a call of its own.
  if (id === 'properties.delete' && left.properties) return {items: left.properties}
  if (id !== 'permissions.patch' || !left.items) return left
  // The call before it granted the access, without the expiration.
  const {expirationDate: _, ...granted} = body
  return granted
}

/**
 * How to go on if the item of a reverse call has changed: the call is sent again if only something else about the item
 * has changed, such as its star, or if an undo that was killed has sent it already. `undefined` if drv cannot tell.
 */
function afterChange(
  {isForced}: Pick<Undo, 'isForced'>,
  step: HistoryStep,
  call: BatchCall,
  isLast: boolean,
): WhenStale | undefined {
  const read = presentCall(step)
  return (
    read && {
      read,
      decide(item) {
        const state = stateIn(item)
        const isDone = isUndoneBy(call, step, state)
        const conflict = isForced(step) || isDone ? undefined : conflictIn(step, state)
        if (conflict !== undefined) return {error: conflict}
        const etag = 'record' in state ? textOf(state.record?.etag) : ''
        return reverseCall(step, call, {etag: etag || undefined, isLast, mayBeDone: isDone})
      },
    }
  )
}

/** The error of a reverse call, explained if the item no longer exists. */
function explained(step: HistoryStep, error: unknown): unknown {
  if (!isNotFound(error)) return error
  const message = `${nameOf(step)} no longer exists, or you have no access to it.`
  return new CommandError('notFound', message, 'This change cannot be undone.')
}

/** Restores the content before the revision that a step made. */
async function restoreContent(
  undo: Undo,
  step: HistoryStep,
  etag: string | undefined,
  isLast: boolean,
): Promise<Page> {
  const {context} = undo
  const fileId = String(step.params.fileId)
  const revision = await revisionBefore(undo, step)
  const restoring = {fileId, revision, history: noteOf(step, isLast)}
  try {
    return await makeRevisionNewest(context, {
      ...restoring,
      ...(etag !== undefined && {ifMatch: etag}),
    })
  } catch (error) {
    // Its revisions show that nobody has changed the content.
    if (etag === undefined || !(error instanceof ServiceError) || error.status !== 412) throw error
    return makeRevisionNewest(context, restoring)
  }
}

/** What the history records of a reverse call; only the last one of a step completes the undo. */
function noteOf(step: HistoryStep, isLast: boolean): HistoryNote {
  return {item: nameOf(step), ...(isLast && {undoes: step.id})}
}

/** The revision before the one that a step made. Throws `CommandError` if somebody has changed the content since then. */
async function revisionBefore({client, isForced}: Undo, step: HistoryStep): Promise<Page> {
  const {fileId = ''} = step.params
  const all = await revisionsOf(client, String(fileId))
  const made = all.findLastIndex(({id, md5Checksum}) => {
    const {headRevisionId, md5Checksum: md5} = step.result ?? {}
    return headRevisionId === undefined ? md5Checksum === md5 : id === headRevisionId
  })
  const revision = made < 0 ? all.at(-2) : all[made - 1]
  // An undo that was killed may have restored it already.
  const isRestored = revision !== undefined && all.at(-1)!.md5Checksum === revision.md5Checksum
  if (made < all.length - 1 && !isRestored && !isForced(step)) throw changedSince()
  if (!revision) {
    throw new CommandError(
      'conflict',
      `${nameOf(step)} has no revision before this change.`,
      'Run `drv revisions list` to see its revisions.',
    )
  }
  return revision
}
