import type {OperationId} from '#lib/api/operations.js'
import {matchesSent, readBack} from '#lib/client/calls.js'
import type {CallInput, Client, SessionState} from '#lib/client/client.js'
import {isIdTaken, ProtocolError, ServiceError} from '#lib/client/errors.js'
import type {FileRecord, UploadContent} from './types.js'

/** Uploads content in a session (reference: protocols.md, section 1, Resumable session). */

export interface SessionUpload {
  readonly client: Client
  readonly operation: OperationId
  /** The metadata with the ID of the new file, and the facts about the content. */
  readonly input: CallInput
  readonly content: UploadContent
  /** The session that an earlier run started. */
  readonly session?: string
  /** Saves the session's path and progress. */
  save(session: string, done: number): Promise<void>
}

/** Maximum number of new sessions for an upload. */
const MOST_RESTARTS = 3
/** Maximum number of consecutive requests without progress. */
const MOST_STANDSTILLS = 16

/**
 * Sends content until the service has all of it, and returns the file's record. After a failure it asks
 * the service for its progress. A session that no longer exists is replaced with a new one.
 */
export async function sendInSession(upload: SessionUpload): Promise<FileRecord> {
  let {session} = upload
  let mayBeDone = upload.input.mayBeDone ?? false
  for (let restarts = 0; ; restarts++) {
    const isFresh = session === undefined
    if (session === undefined) {
      try {
        session = await upload.client.uploads.start(upload.operation, upload.input)
      } catch (error) {
        const record = mayBeDone && isIdTaken(error) ? await finishedBefore(upload) : undefined
        if (record) return record
        throw error
      }
      await upload.save(session, 0)
    }
    try {
      return await proceed(upload, session, isFresh)
    } catch (error) {
      if (!isGone(error) || restarts === MOST_RESTARTS) throw error
      // The session may be gone because the upload was completed.
      mayBeDone = true
      session = undefined
    }
  }
}

function proceed(
  {client, operation: id, input, content, save}: SessionUpload,
  session: string,
  isFresh: boolean,
): Promise<FileRecord> {
  let isAsked = !isFresh
  let known = 0
  let standstills = 0
  return client.persist(async progressed => {
    let state: SessionState = isAsked
      ? await client.uploads.status(session, content.size, {id, input})
      : {isDone: false, received: 0}
    isAsked = true
    for (;;) {
      if (state.isDone) return state.record
      const {received} = state
      if (received > known) {
        known = received
        standstills = 0
        progressed()
        await save(session, received)
      } else if (++standstills > MOST_STANDSTILLS) {
        throw new ProtocolError('The upload has stalled. Try again later.')
      }
      const piece = await content.piece(received)
      state = await client.uploads.send(session, {...piece, bytes: piece.bytes()})
    }
  })
}

/** The file that an earlier attempt created under this ID, if it has the same content. */
async function finishedBefore({
  client,
  input,
  content,
}: SessionUpload): Promise<FileRecord | undefined> {
  const {fields} = input.params
  const params = readBack(String(input.body?.id), typeof fields === 'string' ? fields : undefined)
  const record = await client.call('files.get', {params})
  const md5 = await content.wholeMd5()
  return record && md5 !== undefined && matchesSent(record, {md5}) ? record : undefined
}

/** Whether a session is unusable: unknown, expired, or inconsistent with the request. */
function isGone(error: unknown): boolean {
  return error instanceof ServiceError && [400, 404, 410].includes(error.status)
}
