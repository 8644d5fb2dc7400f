import {operation} from '../../api/operations.js'
import {ApiError, atHeader, failure, notFound} from '../errors.js'
import {readJsonBody} from '../http/body.js'
import {type Job, runOperation, type ServiceContext, transaction} from '../http/dispatch.js'
import type {ServiceRequest, ServiceResponse} from '../http/message.js'
import {mediaType} from '../http/multipart.js'
import {answerResponse} from '../http/answers/respond.js'
import {discardBlob} from '../store/content/blobs.js'
import {newDigests} from '../store/content/content.js'
import {DamagedContent} from '../store/content/damage.js'
import {requireRoom} from '../store/content/disk.js'
import {userById} from '../store/users.js'
import {type Admitted, checkSize, jobOf, refuseEncodedContent} from './direct.js'
import {readStep, type Step} from './progress.js'
import type {Receiver} from './receiver.js'
import {
  addSession,
  findSession,
  isContentUsed,
  noteAnswer,
  noteProgress,
  removeOldSessions,
  removeSession,
  type UploadSession,
} from '../store/uploadsessions.js'

/**
 * Begins a resumable upload (reference: protocols.md, section 1, Resumable session): all that can be
 * wrong with the metadata comes up here.
 */
export async function startUpload(
  context: ServiceContext,
  admitted: Admitted,
): Promise<ServiceResponse> {
  const {store} = context
  const {request, operation, inputs, caller, now} = admitted
  const {headers, url, method} = request
  const declared = headers['x-upload-content-length']
  if (declared !== undefined && !/^\d+$/.test(declared.trim())) {
    throw failure(
      400,
      'badRequest',
      'X-Upload-Content-Length must be a number of bytes.',
      atHeader('X-Upload-Content-Length'),
    )
  }
  checkSize(operation, declared)
  requireRoom(store.directory, Number(declared ?? 0))
  const body = await readJsonBody(operation, request)
  const mimeType = mediaType(headers['x-upload-content-type'])
  const blobId = store.content.begin()
  try {
    await rehearse(context, {...jobOf(admitted, body), media: {...emptyBlob(blobId), mimeType}})
    const id = store.write(() => {
      removeOldSessions(store, now)
      return addSession(
        store,
        {
          request: {
            operationId: operation.operationId,
            inputs,
            body,
            mimeType,
            headers: {'if-match': headers['if-match'], 'if-none-match': headers['if-none-match']},
            origin: url.origin,
            method,
            clientId: caller.clientId,
            scopes: [...caller.scopes],
          },
          userId: caller.user.id,
          tokenId: caller.tokenId,
          blobId,
          total: declared === undefined ? undefined : Number(declared),
        },
        now,
      )
    })
    const location = `${url.origin}${url.pathname}?uploadType=resumable&upload_id=${id}`
    return {status: 200, headers: {...sessionHeaders(id), Location: location}, body: ''}
  } catch (error) {
    store.content.remove(blobId)
    throw error
  }
}

/** Runs the operation with empty content and undoes it, so that it throws now what it would at the end. */
async function rehearse(context: ServiceContext, job: Job): Promise<void> {
  const undone = new Error('undone')
  try {
    await transaction(context, within => {
      runOperation(within, job)
      throw undone
    })
  } catch (error) {
    if (error !== undone) throw error
  }
}

/** Serves a request to a session's own address. `userId` is who the request shows to be, if it does. */
export async function continueUpload(
  context: ServiceContext,
  receiver: Receiver,
  id: string,
  request: ServiceRequest,
  userId: number | undefined,
): Promise<ServiceResponse> {
  const {store, clock} = context
  const load = (): UploadSession => {
    const session = findSession(store, id, clock())
    if (!session || (userId !== undefined && userId !== session.userId)) throw gone(id)
    return session
  }
  let session = load()
  if (request.method === 'DELETE') {
    await receiver.interrupt(id)
    store.write(() => removeSession(store, id))
    return {status: 499, headers: sessionHeaders(id), body: ''}
  }
  if (session.answer !== undefined) return finished(session.answer)
  refuseEncodedContent(request)
  checkSize(operation(session.request.operationId), request.headers['content-length'])
  const stepOf = (now: UploadSession): Step =>
    readStep(request.headers['content-range'], contentLength(request), now)
  let step = stepOf(session)
  checkSize(operation(session.request.operationId), String(step.total ?? 0))
  if (step.kind === 'bytes') {
    // Whoever sends now has given up on an earlier request that still seems to be on its way.
    await receiver.interrupt(id)
    session = load()
    if (session.answer !== undefined) return finished(session.answer)
    step = stepOf(session)
    const end = step.total ?? session.total ?? (step.kind === 'bytes' ? step.end : undefined)
    requireRoom(store.directory, (end ?? session.received) - session.received)
  }
  try {
    const {received, total, isWhole} =
      step.kind === 'bytes'
        ? await receiver.receive(session, step, request.body)
        : noteQuery(context, session, step.total)
    if (!isWhole) return incomplete(id, received, request)
    return await receiver.complete(id, () =>
      finish(context, receiver, {...session, received, total}),
    )
  } catch (error) {
    if (!(error instanceof DamagedContent) || error.id !== session.blobId) throw error
    // Whoever sends can begin anew, and nothing is lost.
    if (isContentUsed(store, error.id)) context.log(error)
    store.write(() => removeSession(store, id))
    throw gone(id)
  }
}

function noteQuery({store}: ServiceContext, session: UploadSession, named: number | undefined) {
  const total = named ?? session.total
  if (total !== undefined && total !== session.total) {
    noteProgress(store, session.id, {received: session.received, total})
  }
  return {received: session.received, total, isWhole: session.received === total}
}

/** Runs the operation over the content, now that it is whole, and keeps the answer for whoever asks again. */
async function finish(
  context: ServiceContext,
  receiver: Receiver,
  session: UploadSession,
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
      const {operationId, inputs, mimeType, headers, method, clientId, scopes} = request
      const answer = runOperation(within, {
        ...request,
        operation: operation(operationId),
        caller: {user, tokenId, clientId, scopes: new Set(scopes), scopeNames: scopes},
        media: {id: blobId, size: received, ...digests.finish(), mimeType},
        now,
      })
      const response = answerResponse(store, answer, {...inputs, method, headers})
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

function incomplete(
  id: string,
  received: number,
  {headers}: Pick<ServiceRequest, 'headers'>,
): ServiceResponse {
  const plain = headers['x-guploader-no-308']?.toLowerCase() === 'yes'
  return {
    status: plain ? 200 : 308,
    headers: {
      ...sessionHeaders(id),
      ...(received > 0 && {Range: `bytes=0-${received - 1}`}),
      ...(plain && {'X-HTTP-Status-Code-Override': '308'}),
    },
    body: '',
  }
}

function finished(answer: string): ServiceResponse {
  return JSON.parse(answer) as ServiceResponse
}

function sessionHeaders(id: string): Record<string, string> {
  return {'X-GUploader-UploadID': id}
}

function contentLength({headers}: ServiceRequest): number | undefined {
  const length = headers['content-length']
  if (length !== undefined) return Number(length)
  return headers['transfer-encoding'] === undefined ? 0 : undefined
}

function emptyBlob(id: string) {
  return {id, size: 0, ...newDigests().finish()}
}

function gone(id: string) {
  return notFound('Upload', id, 'upload_id')
}
