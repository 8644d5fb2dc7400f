import {setImmediate} from 'node:timers/promises'
import {entityGet, isOfEntity} from '#lib/api/entity.js'
import {type Operation, type OperationId, responseSchema} from '#lib/api/operations.js'
import {parameterValue, type Scalar} from '#lib/api/validate.js'
import type {Answer, Call, HandlersOf} from '#lib/service/call.js'
import {conditionNotMet, invalidCredentials} from '#lib/service/errors.js'
import type {Database} from '#lib/service/store/database/database.js'
import {SLICE, type Slices} from '#lib/service/store/database/slices.js'
import {discardBlob, forgetBlobs, registerBlob} from '#lib/service/store/files/revisions.js'
import type {Store} from '#lib/service/store/index.js'
import {userById} from '#lib/service/store/users.js'
import {namesTag} from './message.js'
import type {RequestParameters} from './parameters.js'

/** The context of every operation. */
export interface OperationContext {
  readonly store: Store
  readonly handlers: HandlersOf<OperationId>
  /** Unix ms. */
  readonly clock: () => number
  /** Logs an internal error. */
  readonly log: (error: unknown) => void
}

/**
 * An authenticated request with validated parameters: a call before its transaction starts, plus the
 * values that only its response needs.
 */
export interface OperationRequest
  extends Omit<Call, 'store' | 'afterCommit' | 'inSlices'>, RequestParameters {
  readonly method: string
}

/** Runs an operation in a transaction. Resolves after its changes are on disk. */
export function perform(context: OperationContext, request: OperationRequest): Promise<Answer> {
  return transaction(context, within => performOperation(within, request), readsOnly(request))
}

/** The context of a request inside its transaction. */
export interface Within extends OperationContext, Pick<Call, 'afterCommit' | 'inSlices'> {}

/** Thrown if work takes more than one slice. */
class LongWork extends Error {}

/** Thrown if a read-only request writes: the app folder is created on first use. */
class Writes extends Error {}

const readOnly: Pick<Database, 'run' | 'write'> = {
  run() {
    throw new Writes()
  },
  write() {
    throw new Writes()
  },
}

/**
 * Runs `work` in a transaction, then its `afterCommit` tasks, and resolves after the changes are on
 * disk. Requests that write may share a transaction. If `work` fails, the content it stored is
 * deleted. Work that takes more than one slice is rolled back and restarted in slices, so that other
 * requests can run in between. Work with `onlyReads` that writes is restarted as well.
 */
export async function transaction<T>(
  context: OperationContext,
  work: (within: Within) => T,
  onlyReads = false,
): Promise<T> {
  const {store, log} = context
  let tasks: (() => void)[] = []
  let createdBlobs: string[] = []
  const put: Store['content']['put'] = bytes => {
    const blob = store.content.put(bytes)
    createdBlobs.push(blob.id)
    return blob
  }
  const content = {...store.content, put}

  function* attempt(connection: Partial<Database>): Slices<T> {
    const slices: Slices[] = []
    const result = work({
      ...context,
      store: {...store, ...connection, content},
      afterCommit: task => tasks.push(task),
      inSlices: more => slices.push(more),
    })
    for (const more of slices) yield* more
    return result
  }
  const inOneSlice = (connection: Partial<Database>) => {
    const {done, value} = attempt(connection).next()
    if (!done) throw new LongWork()
    return value
  }
  const discard = () => {
    for (const id of createdBlobs) discardBlob(store, id)
    createdBlobs = []
    tasks = []
  }

  let result: T
  try {
    result = onlyReads
      ? store.read(() => inOneSlice(readOnly))
      : await store.writeTogether(() => inOneSlice({}))
  } catch (error) {
    discard()
    // SQLite refuses a write if another connection has written since the first read.
    if (error instanceof Writes) return transaction(context, work)
    if (!(error instanceof LongWork)) throw error
    result = await store.writeInSlices(attempt).catch((failure: unknown) => {
      discard()
      throw failure
    })
  }
  await runTasks(tasks, log)
  return result
}

/** Runs the `afterCommit` tasks. They can take long, so other requests run in between. */
async function runTasks(
  tasks: readonly (() => void)[],
  log: OperationContext['log'],
): Promise<void> {
  for (const [index, task] of tasks.entries()) {
    if (index > 0 && index % SLICE === 0) await setImmediate()
    try {
      task()
    } catch (error) {
      log(error)
    }
  }
}

/** Runs an operation inside an open transaction: checks preconditions, registers content, calls the handler. */
export function performOperation(within: Within, request: OperationRequest): Answer {
  const {store, handlers, afterCommit, inSlices} = within
  const {operation, user, media, now} = request
  const call: Call = {...request, store, afterCommit, inSlices}
  // The account may have been deleted since authentication.
  if (!userById(store, user.id)) throw invalidCredentials()
  if (operation.httpMethod !== 'GET') checkConditions(handlers, call)
  if (media) registerBlob(store, now, media)
  const answer = handlers[operation.operationId](call)
  // Deletes the content unless the handler used it.
  if (media) forgetBlobs(call, [media.id])
  return answer
}

/** Whether a request is read-only. Two kinds of GET write: one reserves IDs, one records the time of a view. */
function readsOnly({operation, params}: OperationRequest): boolean {
  const {httpMethod, operationId} = operation
  return (
    httpMethod === 'GET' &&
    operationId !== 'files.generateIds' &&
    !('updateViewedDate' in params && params.updateViewedDate)
  )
}

/**
 * Compares `If-Match` and `If-None-Match` of a changing request with the current entity (reference:
 * protocols.md, section 3). Throws 412. Ignores entities without a tag: shared drives, children and
 * parents of items, and lists within an item.
 */
function checkConditions(handlers: HandlersOf<OperationId>, call: Call): void {
  const match = call.headers['if-match']
  const noneMatch = call.headers['if-none-match']
  if (match === undefined && noneMatch === undefined) return
  const {operation} = call
  const get = entityGet(operation)
  if (!get && isWithinItem(operation)) return
  if (!responseSchema(get ?? operation)?.properties?.etag) return
  // An entity that does not exist yet has no tag.
  const tag = get && entityTag(handlers, call, get)
  const isNamed = (header: string) => tag !== undefined && namesTag(header, tag)
  if (match !== undefined && !isNamed(match)) throw conditionNotMet('If-Match')
  if (noneMatch !== undefined && isNamed(noneMatch)) throw conditionNotMet('If-None-Match')
}

/** The entity's tag, from its own `get`. */
function entityTag(
  handlers: HandlersOf<OperationId>,
  call: Call,
  get: Operation,
): string | undefined {
  const params = call.params as Readonly<Record<string, Scalar | undefined>>
  const getParams = Object.entries(get.parameters).map(([name, schema]) => {
    const initial =
      schema.default === undefined ? undefined : parameterValue(schema, schema.default)
    return [name, isOfEntity(get, name) ? (params[name] ?? initial) : initial]
  })
  const handler = handlers[get.operationId]
  // Keep the operation of the call: the token was authorized for its scopes.
  const answer = handler({
    ...call,
    params: Object.fromEntries(getParams),
    fields: {etag: {}},
    alt: 'json',
  })
  const tag = answer && 'etag' in answer ? answer.etag : undefined
  return typeof tag === 'string' ? tag : undefined
}

function isWithinItem({path}: Operation): boolean {
  return path.includes('{')
}
