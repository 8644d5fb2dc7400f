import type {OperationId} from '#lib/api/operations.js'
import {isSame, readBack} from '#lib/client/calls.js'
import type {CallInput, Client, SessionState} from '#lib/client/client.js'
import {isIdTaken, ProtocolError, ServiceError} from '#lib/client/errors.js'
import type {FileRecord, UploadContent} from './types.js'

/** Content sent in a session (reference: protocols.md, section 1, Resumable session). */

export interface SessionUpload {
  readonly client: Client
  readonly operation: OperationId
  /** The metadata, with the ID of the new file, and what announces the content. */
  readonly input: CallInput
  readonly content: UploadContent
  /** A session that an earlier run began. */
  readonly session?: string
  /** Keeps the address and how far it is. */
  save(session: string, done: number): Promise<void>
}

/** How often an upload begins again because its session is gone. */
const MOST_RESTARTS = 3
/** How often a service may take nothing of what it is sent. */
const MOST_STANDSTILLS = 16

/**
 * Sends content until the service has all of it, and gives the file's record. After a fault the
 * service is asked how far it is, and its word counts. A session that is gone is begun anew.
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
      // It may have gone because it was finished.
      mayBeDone = true
      session = undefined
    }
  }
}

function proceed(
  {client, content, save}: SessionUpload,
  session: string,
  isFresh: boolean,
): Promise<FileRecord> {
  let isAsked = !isFresh
  let known = 0
  let standstills = 0
  return client.persist(async progressed => {
    let state: SessionState = isAsked
      ? await client.uploads.status(session, content.size)
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
        throw new ProtocolError('The service does not take the content. Try again later.')
      }
      const piece = await content.piece(received)
      state = await client.uploads.send(session, {...piece, bytes: piece.bytes()})
    }
  })
}

/** The file that an earlier attempt made under the ID of this one, if it has this content. */
async function finishedBefore({
  client,
  input,
  content,
}: SessionUpload): Promise<FileRecord | undefined> {
  const {fields} = input.params
  const params = readBack(String(input.body?.id), typeof fields === 'string' ? fields : undefined)
  const record = await client.call('files.get', {params})
  const md5 = await content.wholeMd5()
  return record && md5 !== undefined && isSame(record, {md5}) ? record : undefined
}

/** Whether a session is of no use any more: unknown, too old, or at odds with what is sent. */
function isGone(error: unknown): boolean {
  return error instanceof ServiceError && [400, 404, 410].includes(error.status)
}
