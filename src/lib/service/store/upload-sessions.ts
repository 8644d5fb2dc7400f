import type {Parameters} from './database/database.js'
import {column, insertRow, updateRows} from './database/rows.js'
import {newOpaqueId} from './ids.js'
import type {Store} from './index.js'

/** The progress of a resumable upload. */
export interface Progress {
  /** Number of bytes stored so far. */
  readonly received: number
  /** Total size in bytes; `undefined` while it is unknown. */
  readonly total?: number
}

/** A resumable upload, running or complete. */
export interface UploadSession<Request = unknown> extends Progress {
  readonly id: string
  /** The first request, stored as JSON. */
  readonly request: Request
  readonly userId: number
  readonly tokenId: number
  readonly blobId: string
  /** JSON of the final response. */
  readonly answer?: string
}

/** Lifetime of a session, in ms (reference: protocols.md, section 1). */
const LIFETIME = 7 * 24 * 3600 * 1000

type NewUploadSession = Pick<UploadSession, 'request' | 'userId' | 'tokenId' | 'blobId' | 'total'>

/** Stores a new session. Returns its ID, with which a client can continue the upload. */
export function addSession(store: Store, session: NewUploadSession, now: number): string {
  const id = newOpaqueId(store.random, 36)
  insertRow(store, 'uploads', {
    id,
    request: JSON.stringify(session.request),
    user_id: session.userId,
    token_id: session.tokenId,
    blob_id: session.blobId,
    total: session.total,
    expires_at: now + LIFETIME,
  })
  return id
}

/**
 * The session with this ID; `undefined` if it was canceled, has expired, or its token was revoked. The
 * URL is a secret that replaces the token (reference: protocols.md, section 1). So the account is
 * checked only when a session starts, and a user who is suspended later can still complete it.
 */
export function findSession<Request>(
  store: Store,
  id: string,
  now: number,
): UploadSession<Request> | undefined {
  const row = store.get<
    Omit<UploadSession, 'request'> & {request: string; total: number | null; answer: string | null}
  >(
    `SELECT u.id, u.request, u.user_id AS userId, u.token_id AS tokenId, u.blob_id AS blobId,
       u.total, u.received, u.answer
     FROM uploads u JOIN tokens t ON t.id = u.token_id
     WHERE u.id = :id AND u.expires_at > :now AND t.revoked_at IS NULL`,
    {id, now},
  )
  if (!row) return undefined
  const {request, total, answer, ...rest} = row
  return {
    ...rest,
    request: JSON.parse(request) as Request,
    total: total ?? undefined,
    answer: answer ?? undefined,
  }
}

/** Saves the number of bytes on disk, which never decreases, and the total once it is known. */
export function saveProgress(store: Store, id: string, {received, total}: Progress): void {
  store.run(
    `UPDATE uploads SET received = max(received, :received), total = coalesce(total, :total)
     WHERE id = :id`,
    {id, received, total: total ?? null},
  )
}

/** Saves the final response of an upload. */
export function saveAnswer(store: Store, id: string, total: number, answer: string): void {
  updateRows(store, 'uploads', {id}, {received: total, total, answer})
}

/** Deletes a session, and its content unless it is complete. */
export function removeSession(store: Store, id: string): void {
  for (const blobId of deleteSessions(store, 'id = :id', {id}))
    store.content.discardUnfinished(blobId)
}

/** Deletes expired sessions. */
export function removeOldSessions(store: Store, now: number): void {
  const ids = deleteSessions(store, 'expires_at <= :now', {now})
  for (const blobId of ids) store.content.discardUnfinished(blobId)
}

/** Deletes all sessions of a user. Returns the IDs of their incomplete content. */
export function removeSessionsOf(store: Store, userId: number): string[] {
  return deleteSessions(store, 'user_id = :userId', {userId})
}

/** Whether the database refers to this content file; complete uploads do not count. */
export function isContentUsed(store: Pick<Store, 'get'>, id: string): boolean {
  const used = store.get(
    `SELECT 1 FROM blobs WHERE id = :id
     UNION ALL SELECT 1 FROM uploads WHERE blob_id = :id AND answer IS NULL LIMIT 1`,
    {id},
  )
  return used !== undefined
}

/** Deletes sessions. Returns the IDs of their incomplete content. */
function deleteSessions(store: Store, condition: string, parameters: Parameters): string[] {
  const text = `DELETE FROM uploads WHERE ${condition} RETURNING iif(answer IS NULL, blob_id, NULL)`
  return column<string | null>(store, text, parameters).filter(id => id !== null)
}
