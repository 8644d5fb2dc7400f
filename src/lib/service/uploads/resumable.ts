import {operation, type OperationId} from '#lib/api/operations.js'
import {ApiError, notFound} from '#lib/service/errors.js'
import {checkedBody, type JsonObject, readJsonBody} from '#lib/service/http/body.js'
import type {ServiceRequest, ServiceResponse} from '#lib/service/http/message.js'
import type {Inputs} from '#lib/service/http/parameters.js'
import {
  type OperationContext,
  type OperationRequest,
  runOperation,
  transaction,
} from '#lib/service/http/perform.js'
import {answerResponse} from '#lib/service/http/respond.js'
import {newDigests} from '#lib/service/store/content/content.js'
import {DamagedContent} from '#lib/service/store/content/damage.js'
import {requireRoom} from '#lib/service/store/database/disk.js'
import {discardBlob} from '#lib/service/store/files/revisions.js'
import type {Store} from '#lib/service/store/index.js'
import {
  addSession,
  findSession,
  isContentUsed,
  noteAnswer,
  noteProgress,
  removeOldSessions,
  removeSession,
  type UploadSession,
} from '#lib/service/store/upload-sessions.js'
import {userById} from '#lib/service/store/users.js'
import {checkSize, refuseEncodedContent} from './direct.js'
import {googProtocol, speaksGoogUpload} from './goog-protocol.js'
import {rangeProtocol} from './range-protocol.js'
import type {Receiver} from './receiver.js'
import {sessionHeaders, type Step, type UploadProtocol} from './upload-protocol.js'

/** What the first request of a resumable upload asked for, kept until its content is there. */
interface SessionRequest {
  readonly operationId: OperationId
  readonly inputs: Inputs
  readonly body: JsonObject
  readonly mimeType?: string
  /** The conditions of the first request (`if-match`, `if-none-match`). */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly origin: string
  readonly method: string
  readonly clientId?: string
  readonly scopes: readonly string[]
}

type Session = UploadSession<SessionRequest>

/**
 * Begins a resumable upload (reference: protocols.md, section 1, Resumable session): all that can be
 * wrong with the metadata comes up here. The first request may also bring content, in place of metadata.
 */
export async function startUpload(
  context: OperationContext,
  receiver: Receiver,
  request: ServiceRequest,
  asked: OperationRequest,
): Promise<ServiceResponse> {
  const {store} = context
  const {operation, user} = asked
  const protocol = uploadProtocolOf(request)
  const hasContent = protocol.startsWithContent()
  const {size, mimeType} = protocol.announced()
  checkSize(operation, String(size ?? 0))
  requireRoom(store.directory, size ?? 0)
  const body = hasContent
    ? checkedBody(operation, Buffer.alloc(0))
    : await readJsonBody(operation, request)
  const id = await openSession(context, {...asked, body}, mimeType, size)
  const started = protocol.started(id, request.url.origin + request.url.pathname)
  if (!hasContent) return started
  try {
    const response = await serveSession(context, receiver, protocol, id, request, user.id)
    return {...response, headers: {...started.headers, ...response.headers}}
  } catch (error) {
    // Nobody knows the address of this session yet.
    store.write(() => removeSession(store, id))
    throw error
  }
}

function uploadProtocolOf(request: ServiceRequest): UploadProtocol {
  return speaksGoogUpload(request) ? googProtocol(request) : rangeProtocol(request)
}

/** Keeps what the first request asked for, once the operation has shown that it would take it. Returns the ID. */
async function openSession(
  context: OperationContext,
  asked: OperationRequest,
  mimeType: string | undefined,
  total: number | undefined,
): Promise<string> {
  const {store} = context
  const {operation, params, given, common, alt, fields, prettyPrint, callback} = asked
  const {body, headers, origin, method, user, tokenId, clientId, scopes, now} = asked
  const blobId = store.content.begin()
  try {
    await rehearse(context, {...asked, media: {...emptyBlob(blobId), mimeType}})
    return store.write(() => {
      removeOldSessions(store, now)
      return addSession(
        store,
        {
          request: {
            operationId: operation.operationId,
            inputs: {params, given, common, alt, fields, prettyPrint, callback},
            body,
            mimeType,
            headers: {'if-match': headers['if-match'], 'if-none-match': headers['if-none-match']},
            origin,
            method,
            clientId,
            scopes: [...scopes],
          } satisfies SessionRequest,
          userId: user.id,
          tokenId,
          blobId,
          total,
        },
        now,
      )
    })
  } catch (error) {
    store.content.remove(blobId)
    throw error
  }
}

/** Runs the operation with empty content and undoes it, so that it throws now what it would at the end. */
async function rehearse(context: OperationContext, request: OperationRequest): Promise<void> {
  const undone = new Error('undone')
  try {
    await transaction(context, within => {
      runOperation(within, request)
      throw undone
    })
  } catch (error) {
    if (error !== undone) throw error
  }
}

/** Serves a request to a session's own address. `userId` is who the request shows to be, if it does. */
export async function continueUpload(
  context: OperationContext,
  receiver: Receiver,
  id: string,
  request: ServiceRequest,
  userId: number | undefined,
): Promise<ServiceResponse> {
  const {store, clock} = context
  const protocol = uploadProtocolOf(request)
  try {
    return await serveSession(context, receiver, protocol, id, request, userId)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const session = findOwnSession(store, id, clock(), userId)
    throw protocol.refused(error, session && {...session, isWhole: session.answer !== undefined})
  }
}

/** The session of an ID; another user's is as good as none. */
function findOwnSession(store: Store, id: string, now: number, userId: number | undefined) {
  const session = findSession<SessionRequest>(store, id, now)
  return userId === undefined || userId === session?.userId ? session : undefined
}

async function serveSession(
  context: OperationContext,
  receiver: Receiver,
  protocol: UploadProtocol,
  id: string,
  request: ServiceRequest,
  userId: number | undefined,
): Promise<ServiceResponse> {
  const {store, clock} = context
  const load = (): Session => {
    const session = findOwnSession(store, id, clock(), userId)
    if (!session) throw gone(id)
    return session
  }
  let session = load()
  if (protocol.cancels()) {
    const response = protocol.canceled(id, session.answer !== undefined)
    await receiver.interrupt(id)
    store.write(() => removeSession(store, id))
    return response
  }
  if (session.answer !== undefined) return again(protocol, session)
  refuseEncodedContent(request)
  checkSize(operation(session.request.operationId), request.headers['content-length'])
  let step = protocol.step(session)
  checkSize(operation(session.request.operationId), String(step.total ?? 0))
  if (step.kind === 'bytes' || step.concludes) {
    // Whoever sends now has given up on an earlier request that still seems to be on its way.
    await receiver.interrupt(id)
    session = load()
    if (session.answer !== undefined) return again(protocol, session)
    step = protocol.step(session)
    const end = step.total ?? session.total ?? (step.kind === 'bytes' ? step.end : undefined)
    requireRoom(store.directory, (end ?? session.received) - session.received)
  }
  try {
    const {received, total, isWhole} =
      step.kind === 'bytes'
        ? await receiver.receive(session, step, request.body)
        : noteQuery(context, session, step)
    if (!isWhole) return protocol.incomplete(id, received)
    const response = await receiver.complete(id, () =>
      finish(context, receiver, {...session, received, total}),
    )
    return protocol.finished(response, received)
  } catch (error) {
    if (!(error instanceof DamagedContent) || error.id !== session.blobId) throw error
    // Whoever sends can begin anew, and nothing is lost.
    if (isContentUsed(store, error.id)) context.log(error)
    store.write(() => removeSession(store, id))
    throw gone(id)
  }
}

function noteQuery(
  {store}: OperationContext,
  {id, received, total: before}: UploadSession,
  {total: named, concludes}: Extract<Step, {kind: 'query'}>,
) {
  const total = named ?? before
  if (total !== before) noteProgress(store, id, {received, total})
  return {received, total, isWhole: concludes}
}

/** Runs the operation over the content, now that it is whole, and keeps the answer for whoever asks again. */
async function finish(
  context: OperationContext,
  receiver: Receiver,
  session: Session,
): Promise<ServiceResponse> {
  const {store, clock} = context
  const {id, request, userId, tokenId, blobId, received} = session
  const digests = await receiver.conclude(session)
  await store.content.finish({id: blobId, size: received})
  const now = clock()
  try {
    return await transaction(context, within => {
      // Another process may have been faster.
      const current = findSession(within.store, id, now)
      const user = userById(within.store, userId)
      if (!current || !user) throw gone(id)
      if (current.answer !== undefined) return finished(current.answer)
      const {operationId, inputs, mimeType, scopes, ...rest} = request
      const asked: OperationRequest = {
        ...rest,
        ...inputs,
        operation: operation(operationId),
        user,
        tokenId,
        scopes: new Set(scopes),
        media: {id: blobId, size: received, ...digests.finish(), mimeType},
        now,
      }
      const response = answerResponse(store, runOperation(within, asked), asked)
      const sent = {...response, headers: {...response.headers, ...sessionHeaders(id)}}
      noteAnswer(within.store, id, received, JSON.stringify(sent))
      return sent
    })
  } catch (error) {
    // What the operation refuses now it will refuse for ever: the content is of no use.
    if (error instanceof ApiError && error.status < 500) {
      store.write(() => removeSession(store, id))
      discardBlob(store, blobId)
    }
    throw error
  }
}

/** The response of an upload that is whole, for a client that asks again. */
function again(protocol: UploadProtocol, {answer, received}: UploadSession): ServiceResponse {
  return protocol.finished(finished(answer!), received)
}

function finished(answer: string): ServiceResponse {
  return JSON.parse(answer) as ServiceResponse
}

function emptyBlob(id: string) {
  return {id, size: 0, ...newDigests().finish()}
}

function gone(id: string) {
  return notFound('Upload', id, 'upload_id')
}
