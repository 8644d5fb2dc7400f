import type {Parameters} from './database/database.js'
import {column, insertRow, updateRows} from './database/rows.js'
import {newOpaqueId} from './ids.js'
import type {Store} from './index.js'

/** How far a resumable upload is. */
export interface Progress {
  /** Bytes that are stored, from the first on. */
  readonly received: number
  /** Bytes there will be; `undefined` while nobody has said. */
  readonly total?: number
}

/** A resumable upload on its way, or done. */
export interface UploadSession<Request = unknown> extends Progress {
  readonly id: string
  /** What the first request asked for, kept as JSON until its content is there. */
  readonly request: Request
  readonly userId: number
  readonly tokenId: number
  readonly blobId: string
  /** JSON of the finished answer. */
  readonly answer?: string
}

/** How long an upload may take, in ms (reference: protocols.md, section 1). */
const LIFETIME = 7 * 24 * 3600 * 1000

type NewUploadSession = Pick<UploadSession, 'request' | 'userId' | 'tokenId' | 'blobId' | 'total'>

/** Keeps a new session. Returns its ID, which is all that a caller needs to go on. */
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
 * The session of this ID, unless it is over: cancelled, too old, or its token revoked. Whoever knows
 * the ID goes on without a token: the address is the secret (reference: protocols.md, section 1).
 * So the account is looked at when a session begins, and a user who is suspended later can end it.
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

/** Notes what is stored for certain, and the total once it is known. The count never goes back. */
export function noteProgress(store: Store, id: string, {received, total}: Progress): void {
  store.run(
    `UPDATE uploads SET received = max(received, :received), total = coalesce(total, :total)
     WHERE id = :id`,
    {id, received, total: total ?? null},
  )
}

/** Notes the answer that ended an upload. */
export function noteAnswer(store: Store, id: string, total: number, answer: string): void {
  updateRows(store, 'uploads', {id}, {received: total, total, answer})
}

/** Forgets a session. Its content goes, too, unless it is whole. */
export function removeSession(store: Store, id: string): void {
  for (const blobId of takeSessions(store, 'id = :id', {id})) store.content.giveUp(blobId)
}

/** Forgets the sessions that are too old. */
export function removeOldSessions(store: Store, now: number): void {
  const ids = takeSessions(store, 'expires_at <= :now', {now})
  for (const blobId of ids) store.content.giveUp(blobId)
}

/** Forgets all sessions of a user. Returns the IDs of the contents that nobody needs any more. */
export function removeSessionsOf(store: Store, userId: number): string[] {
  return takeSessions(store, 'user_id = :userId', {userId})
}

/** Whether anything in the database needs this content file; a finished upload alone does not. */
export function isContentUsed(store: Pick<Store, 'get'>, id: string): boolean {
  const used = store.get(
    `SELECT 1 FROM blobs WHERE id = :id
     UNION ALL SELECT 1 FROM uploads WHERE blob_id = :id AND answer IS NULL LIMIT 1`,
    {id},
  )
  return used !== undefined
}

/** Forgets sessions. Returns the IDs of what they brought in and did not finish. */
function takeSessions(store: Store, condition: string, parameters: Parameters): string[] {
  const text = `DELETE FROM uploads WHERE ${condition} RETURNING iif(answer IS NULL, blob_id, NULL)`
  return column<string | null>(store, text, parameters).filter(id => id !== null)
}
