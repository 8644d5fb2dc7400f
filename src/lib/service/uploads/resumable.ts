import {operation, type OperationId} from '#lib/api/operations.js'
import {FileServiceError, notFound} from '#lib/service/errors.js'
import {checkedBody, type JsonObject, readJsonBody} from '#lib/service/http/body.js'
import type {ServiceRequest, ServiceResponse} from '#lib/service/http/message.js'
import type {RequestParameters} from '#lib/service/http/parameters.js'
import {
  type OperationContext,
  type OperationRequest,
  performOperation,
  transaction,
} from '#lib/service/http/perform.js'
import {answerResponse} from '#lib/service/http/respond.js'
import {newDigests} from '#lib/service/store/content/content.js'
import {DamagedContent} from '#lib/service/store/content/damage.js'
import {requireFreeSpace} from '#lib/service/store/database/disk.js'
import {discardBlob} from '#lib/service/store/files/revisions.js'
import type {Store} from '#lib/service/store/index.js'
import {
  addSession,
  findSession,
  isContentUsed,
  removeOldSessions,
  removeSession,
  saveAnswer,
  saveProgress,
  type UploadSession,
} from '#lib/service/store/upload-sessions.js'
import {userById} from '#lib/service/store/users.js'
import {checkSize, refuseEncodedContent} from './direct.js'
import {googProtocol, usesGoogUpload} from './goog-protocol.js'
import {rangeProtocol} from './range-protocol.js'
import type {Receiver} from './receiver.js'
import {sessionHeaders, type UploadAction, type UploadProtocol} from './upload-protocol.js'

/** The first request of a resumable upload, stored until its content is complete. */
interface SessionRequest {
  readonly operationId: OperationId
  readonly inputs: RequestParameters
  readonly body: JsonObject
  readonly mimeType?: string
  /** The preconditions of the first request (`if-match`, `if-none-match`). */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly origin: string
  readonly method: string
  readonly clientId?: string
  readonly scopes: readonly string[]
}

type Session = UploadSession<SessionRequest>

/**
 * Starts a resumable upload (reference: protocols.md, section 1, Resumable session). Throws every
 * error that the metadata can cause. The first request may contain content instead of metadata.
 */
export async function startUpload(
  context: OperationContext,
  receiver: Receiver,
  request: ServiceRequest,
  operationRequest: OperationRequest,
): Promise<ServiceResponse> {
  const {store} = context
  const {operation, user} = operationRequest
  const protocol = uploadProtocolOf(request)
  const hasContent = protocol.startsWithContent()
  const {size, mimeType} = protocol.announced()
  checkSize(operation, String(size ?? 0))
  requireFreeSpace(store.directory, size ?? 0)
  const body = hasContent
    ? checkedBody(operation, Buffer.alloc(0))
    : await readJsonBody(operation, request)
  const id = await openSession(context, {...operationRequest, body}, mimeType, size)
  const started = protocol.started(id, request.url.origin + request.url.pathname)
  if (!hasContent) return started
  try {
    const response = await serveSession(context, receiver, protocol, id, request, user.id)
    return {...response, headers: {...started.headers, ...response.headers}}
  } catch (error) {
    // The client does not know the URL of this session yet.
    store.write(() => removeSession(store, id))
    throw error
  }
}

function uploadProtocolOf(request: ServiceRequest): UploadProtocol {
  return usesGoogUpload(request) ? googProtocol(request) : rangeProtocol(request)
}

/** Checks that the operation accepts the first request, stores it, and returns the session ID. */
async function openSession(
  context: OperationContext,
  request: OperationRequest,
  mimeType: string | undefined,
  total: number | undefined,
): Promise<string> {
  const {store} = context
  const {operation, params, given, common, alt, fields, prettyPrint, callback} = request
  const {body, headers, origin, method, user, tokenId, clientId, scopes, now} = request
  const blobId = store.content.begin()
  try {
    await rehearse(context, {...request, media: {...emptyBlob(blobId), mimeType}})
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

/** Runs the operation with empty content and rolls it back, so that it throws its errors before the upload. */
async function rehearse(context: OperationContext, request: OperationRequest): Promise<void> {
  const rollback = new Error('rollback')
  try {
    await transaction(context, within => {
      performOperation(within, request)
      throw rollback
    })
  } catch (error) {
    if (error !== rollback) throw error
  }
}

/** Serves a request to the URL of a session. `userId` is the authenticated user, if any. */
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
    if (!(error instanceof FileServiceError)) throw error
    const session = findOwnSession(store, id, clock(), userId)
    throw protocol.refused(error, session && {...session, isWhole: session.answer !== undefined})
  }
}

/** The session of this ID; `undefined` if `userId` is another user. */
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
  if (session.answer !== undefined) return storedResponse(protocol, session)
  refuseEncodedContent(request)
  checkSize(operation(session.request.operationId), request.headers['content-length'])
  let step = protocol.step(session)
  checkSize(operation(session.request.operationId), String(step.total ?? 0))
  if (step.kind === 'bytes' || step.concludes) {
    // A new request means that the client has given up on the earlier one, which may still be running.
    await receiver.interrupt(id)
    session = load()
    if (session.answer !== undefined) return storedResponse(protocol, session)
    step = protocol.step(session)
    const end = step.total ?? session.total ?? (step.kind === 'bytes' ? step.end : undefined)
    requireFreeSpace(store.directory, (end ?? session.received) - session.received)
  }
  try {
    const {received, total, isWhole} =
      step.kind === 'bytes'
        ? await receiver.receive(session, step, request.body)
        : saveQuery(context, session, step)
    if (!isWhole) return protocol.incomplete(id, received)
    const response = await receiver.complete(id, () =>
      finish(context, receiver, {...session, received, total}),
    )
    return protocol.finished(response, received)
  } catch (error) {
    if (!(error instanceof DamagedContent) || error.id !== session.blobId) throw error
    // The client can start over without losing data.
    if (isContentUsed(store, error.id)) context.log(error)
    store.write(() => removeSession(store, id))
    throw gone(id)
  }
}

function saveQuery(
  {store}: OperationContext,
  {id, received, total: before}: UploadSession,
  {total: named, concludes}: Extract<UploadAction, {kind: 'query'}>,
) {
  const total = named ?? before
  if (total !== before) saveProgress(store, id, {received, total})
  return {received, total, isWhole: concludes}
}

/** Runs the operation with the complete content and stores the response for repeated requests. */
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
      // Another process may have finished the upload.
      const current = findSession(within.store, id, now)
      const user = userById(within.store, userId)
      if (!current || !user) throw gone(id)
      if (current.answer !== undefined) return finished(current.answer)
      const {operationId, inputs, mimeType, scopes, ...rest} = request
      const operationRequest: OperationRequest = {
        ...rest,
        ...inputs,
        operation: operation(operationId),
        user,
        tokenId,
        scopes: new Set(scopes),
        media: {id: blobId, size: received, ...digests.finish(), mimeType},
        now,
      }
      const result = performOperation(within, operationRequest)
      const response = answerResponse(store, result, operationRequest)
      const sent = {...response, headers: {...response.headers, ...sessionHeaders(id)}}
      saveAnswer(within.store, id, received, JSON.stringify(sent))
      return sent
    })
  } catch (error) {
    // The operation would refuse this content every time, so delete it.
    if (error instanceof FileServiceError && error.status < 500) {
      store.write(() => removeSession(store, id))
      discardBlob(store, blobId)
    }
    throw error
  }
}

/** The stored response of a complete upload. */
function storedResponse(
  protocol: UploadProtocol,
  {answer, received}: UploadSession,
): ServiceResponse {
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
