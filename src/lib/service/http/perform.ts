import {setImmediate} from 'node:timers/promises'
import {type Operation, type OperationId, operations, responseSchema} from '#lib/api/operations.js'
import {parameterValue, type Scalar} from '#lib/api/validate.js'
import type {Answer, Call, HandlersOf} from '#lib/service/call.js'
import {conditionNotMet, invalidCredentials} from '#lib/service/errors.js'
import type {Database} from '#lib/service/store/database/database.js'
import {SLICE, type Slices} from '#lib/service/store/database/slices.js'
import {discardBlob, forgetBlobs, registerBlob} from '#lib/service/store/files/revisions.js'
import type {Store} from '#lib/service/store/index.js'
import {userById} from '#lib/service/store/users.js'
import {namesTag} from './message.js'
import type {Inputs} from './parameters.js'

/** What every operation runs with. */
export interface OperationContext {
  readonly store: Store
  readonly handlers: HandlersOf<OperationId>
  /** Unix ms. */
  readonly clock: () => number
  /** Hears of what went wrong inside the service. */
  readonly log: (error: unknown) => void
}

/**
 * A request for an operation whose sender and parameters are in order: a call before its transaction
 * is open, with what only its response must know.
 */
export interface OperationRequest extends Omit<Call, 'store' | 'afterCommit' | 'inSlices'>, Inputs {
  readonly method: string
}

/** Runs an operation; settles when what it did is on the disk. */
export function perform(context: OperationContext, request: OperationRequest): Promise<Answer> {
  return transaction(context, within => runOperation(within, request), readsOnly(request))
}

/** The context of a request while its transaction is open. */
export interface Within extends OperationContext, Pick<Call, 'afterCommit' | 'inSlices'> {}

/** Work turned out to be longer than one slice. */
class LongWork extends Error {}

/** A request that should only read came to write: the app folder is made when it is first named. */
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
 * Does `work` in a transaction, which others may share unless it only reads, and then what it left
 * for later; settles when it is on the disk. Where it fails, the content that it made goes again.
 * Work of more than one slice is undone and begun again, beside other requests; so is work that
 * should only read and comes to write.
 */
export async function transaction<T>(
  context: OperationContext,
  work: (within: Within) => T,
  onlyReads = false,
): Promise<T> {
  const {store, log} = context
  let later: (() => void)[] = []
  let made: string[] = []
  const put: Store['content']['put'] = bytes => {
    const blob = store.content.put(bytes)
    made.push(blob.id)
    return blob
  }
  const content = {...store.content, put}

  function* attempt(connection: Partial<Database>): Slices<T> {
    const slices: Slices[] = []
    const result = work({
      ...context,
      store: {...store, ...connection, content},
      afterCommit: task => later.push(task),
      inSlices: more => slices.push(more),
    })
    for (const more of slices) yield* more
    return result
  }
  const atOnce = (connection: Partial<Database>) => {
    const {done, value} = attempt(connection).next()
    if (!done) throw new LongWork()
    return value
  }
  const discard = () => {
    for (const id of made) discardBlob(store, id)
    made = []
    later = []
  }

  let result: T
  try {
    result = onlyReads
      ? store.read(() => atOnce(readOnly))
      : await store.writeTogether(() => atOnce({}))
  } catch (error) {
    discard()
    // SQLite refuses to write where somebody else has written since the first read.
    if (error instanceof Writes) return transaction(context, work)
    if (!(error instanceof LongWork)) throw error
    result = await store.writeInSlices(attempt).catch((failure: unknown) => {
      discard()
      throw failure
    })
  }
  await doLater(later, log)
  return result
}

/** What a request leaves for later can be as much as its work was: others have their turn. */
async function doLater(
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

/** Runs an operation within the transaction that is open: conditions, content, handler. */
export function runOperation(within: Within, request: OperationRequest): Answer {
  const {store, handlers, afterCommit, inSlices} = within
  const {operation, user, media, now} = request
  const call: Call = {...request, store, afterCommit, inSlices}
  // The account may have been deleted while the request came in.
  if (!userById(store, user.id)) throw invalidCredentials()
  if (operation.httpMethod !== 'GET') checkConditions(handlers, call)
  if (media) registerBlob(store, now, media)
  const answer = handlers[operation.operationId](call)
  // The handler may have had no use for it.
  if (media) forgetBlobs(call, [media.id])
  return answer
}

/** Two kinds of GET leave something behind: IDs that are reserved, and views that are counted. */
function readsOnly({operation, params}: OperationRequest): boolean {
  const {httpMethod, operationId} = operation
  return (
    httpMethod === 'GET' &&
    operationId !== 'files.generateIds' &&
    !('updateViewedDate' in params && params.updateViewedDate)
  )
}

/**
 * `If-Match` and `If-None-Match` of a request that changes something, held against the entity as
 * it is now (reference: protocols.md, section 3). What has no tag in this API is not compared:
 * shared drives, the links of folders, and lists within an item. Throws 412.
 */
function checkConditions(handlers: HandlersOf<OperationId>, call: Call): void {
  const match = call.headers['if-match']
  const noneMatch = call.headers['if-none-match']
  if (match === undefined && noneMatch === undefined) return
  const {operation} = call
  const get = entityGet(operation)
  if (!get && isWithinItem(operation)) return
  if (!responseSchema(get ?? operation)?.properties?.etag) return
  // What is still to be made has no tag that a condition could name.
  const tag = get && entityTag(handlers, call, get)
  const isNamed = (header: string) => tag !== undefined && namesTag(header, tag)
  if (match !== undefined && !isNamed(match)) throw conditionNotMet('If-Match')
  if (noneMatch !== undefined && isNamed(noneMatch)) throw conditionNotMet('If-None-Match')
}

/** What of a query lets a call reach an item of a shared drive, or tells an entity from its namesake. */
const SELECTORS = ['supportsAllDrives', 'supportsTeamDrives', 'useDomainAdminAccess', 'visibility']

/** The entity's tag, from its own `get`. */
function entityTag(
  handlers: HandlersOf<OperationId>,
  call: Call,
  get: Operation,
): string | undefined {
  const params = call.params as Readonly<Record<string, Scalar | undefined>>
  const asked = Object.entries(get.parameters).map(([name, schema]) => {
    const byDefault =
      schema.default === undefined ? undefined : parameterValue(schema, schema.default)
    const isShared = schema.location === 'path' || SELECTORS.includes(name)
    return [name, isShared ? (params[name] ?? byDefault) : byDefault]
  })
  const handler = handlers[get.operationId]
  // The call keeps its operation: its scopes are what the token was let in with.
  const answer = handler({
    ...call,
    params: Object.fromEntries(asked),
    fields: {etag: {}},
    alt: 'json',
  })
  const tag = answer && 'etag' in answer ? answer.etag : undefined
  return typeof tag === 'string' ? tag : undefined
}

/**
 * The `get` of the path itself, or of the path before its last word where that is an action:
 * `files/{fileId}` of `files/{fileId}/trash`; `undefined` where the path names no single entity.
 */
function entityGet({path}: Operation): Operation | undefined {
  const reads = operations.filter(({httpMethod}) => httpMethod === 'GET')
  const get = reads.find(each => each.verb === 'get' && each.path === path)
  if (get || reads.some(each => each.verb === 'list' && each.path === path)) return get
  const shorter = path.replace(/\/[^/{}]+$/, '')
  return reads.find(each => each.verb === 'get' && each.path === shorter)
}

function isWithinItem({path}: Operation): boolean {
  return path.includes('{')
}
