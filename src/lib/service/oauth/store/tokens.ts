import {DiskError} from '../../store/content/disk.js'
import type {Store} from '../../store/index.js'
import type {User} from '../../store/users.js'
import {secretHash} from '../tokens/secrets.js'
import {isLive, type TokenRow} from '../tokens/token.js'

const DAY = 24 * 60 * 60 * 1000

/** A token with its user; `live` when it opens anything. */
export interface FoundToken extends TokenRow {
  readonly user: User
  readonly live: boolean
}

type NewToken = Pick<
  TokenRow,
  'user_id' | 'client_id' | 'scopes' | 'permissions' | 'note' | 'expires_at'
>

/** Keeps a new token: the hash of its text, and its last eight characters. */
export function addToken(store: Store, text: string, token: NewToken, now: number): void {
  store.run(
    `INSERT INTO tokens
       (hash, last_eight, user_id, client_id, scopes, permissions, note, created_at, expires_at)
     VALUES
       (:hash, :lastEight, :user_id, :client_id, :scopes, :permissions, :note, :now, :expires_at)`,
    {...token, hash: secretHash(text), lastEight: text.slice(-8), now},
  )
}

/** The token of this text, dead or alive; `undefined` when there never was one. */
export function findToken(store: Store, token: string, now: number): FoundToken | undefined {
  const row = store.get<TokenRow & UserColumns & {app_suspended: number | null}>(
    `SELECT t.*, a.suspended AS app_suspended, u.login, u.name, u.email, u.permission_id, u.root_id,
       u.email_verified, u.suspended, u.created_at AS user_created_at, u.updated_at AS user_updated_at
     FROM tokens t JOIN users u ON u.id = t.user_id LEFT JOIN apps a ON a.client_id = t.client_id
     WHERE t.hash = :hash`,
    {hash: secretHash(token)},
  )
  return row && {...row, user: userOf(row), live: isLive(row, now) && !row.app_suspended}
}

/** The token of this ID, dead or alive. */
export function tokenById(store: Store, id: number): TokenRow | undefined {
  return store.get<TokenRow>('SELECT * FROM tokens WHERE id = :id', {id})
}

/** Revokes a token by its ID. Tells whether there was a live one. */
export function revokeToken(store: Store, id: number, now: number): boolean {
  const {changes} = store.run(
    'UPDATE tokens SET revoked_at = :now WHERE id = :id AND revoked_at IS NULL',
    {id, now},
  )
  return changes > 0
}

/** The tokens of an app for a user that nobody has revoked, expired ones too, the newest first. */
export function unrevokedTokens(
  store: Store,
  userId: number,
  clientId: string,
): readonly TokenRow[] {
  return store.all<TokenRow>(
    `SELECT * FROM tokens
     WHERE user_id = :userId AND client_id = :clientId AND revoked_at IS NULL ORDER BY id DESC`,
    {userId, clientId},
  )
}

/** The tokens an app holds for a user and that open something, the oldest first. */
export function liveTokens(
  store: Store,
  userId: number,
  clientId: string,
  now: number,
): readonly TokenRow[] {
  return store
    .all<TokenRow>(
      'SELECT * FROM tokens WHERE user_id = :userId AND client_id = :clientId ORDER BY id',
      {userId, clientId},
    )
    .filter(token => isLive(token, now))
}

/** How many tokens an app got from a user after `since` (Unix ms), revoked ones included. */
export function tokensMadeAfter(
  store: Store,
  userId: number,
  clientId: string,
  since: number,
): number {
  return store.get<{count: number}>(
    `SELECT count(*) AS count FROM tokens
     WHERE user_id = :userId AND client_id = :clientId AND created_at > :since`,
    {userId, clientId, since},
  )!.count
}

/** The tokens a user made by hand and that open something, the newest first. */
export function personalTokens(store: Store, userId: number, now: number): readonly TokenRow[] {
  return store
    .all<TokenRow>(
      'SELECT * FROM tokens WHERE user_id = :userId AND client_id IS NULL ORDER BY id DESC',
      {userId},
    )
    .filter(token => isLive(token, now))
}

/** The IDs of the apps that hold a token of a user which opens something, in alphabetical order. */
export function appsWithTokens(store: Store, userId: number, now: number): readonly string[] {
  const tokens = store
    .all<TokenRow & {client_id: string}>(
      'SELECT * FROM tokens WHERE user_id = :userId AND client_id IS NOT NULL ORDER BY client_id',
      {userId},
    )
    .filter(token => isLive(token, now))
  return [...new Set(tokens.map(token => token.client_id))]
}

/**
 * Notes that a token was used, once a day: it dies of a year without use. A disk that takes no note
 * keeps nobody from reading.
 */
export function noteUse(store: Store, {id, used_at}: TokenRow, now: number): void {
  if (used_at !== null && now - used_at < DAY) return
  try {
    store.run('UPDATE tokens SET used_at = :now WHERE id = :id', {id, now})
  } catch (error) {
    if (!(error instanceof DiskError)) throw error
  }
}

interface UserColumns extends Omit<User, 'id' | 'created_at' | 'updated_at'> {
  readonly user_created_at: number
  readonly user_updated_at: number
}

function userOf(row: TokenRow & UserColumns): User {
  return {
    id: row.user_id,
    login: row.login,
    name: row.name,
    email: row.email,
    email_verified: row.email_verified,
    suspended: row.suspended,
    permission_id: row.permission_id,
    root_id: row.root_id,
    created_at: row.user_created_at,
    updated_at: row.user_updated_at,
  }
}
