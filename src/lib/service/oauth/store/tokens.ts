import {secretHash} from '#lib/service/oauth/tokens/secrets.js'
import {isLive, type TokenRow} from '#lib/service/oauth/tokens/token.js'
import {DiskError} from '#lib/service/store/database/disk.js'
import type {Store} from '#lib/service/store/index.js'
import {type User, userById} from '#lib/service/store/users.js'
import {appById} from './apps.js'

const DAY = 24 * 60 * 60 * 1000

/** A token with its user; `live` if it is valid. */
export interface TokenWithUser extends TokenRow {
  readonly user: User
  readonly live: boolean
}

type NewToken = Pick<
  TokenRow,
  'user_id' | 'client_id' | 'scopes' | 'permissions' | 'note' | 'expires_at' | 'family_id'
>

/** Stores a new token: the hash of its text, and its last eight characters. */
export function addToken(store: Store, text: string, token: NewToken, now: number): void {
  store.run(
    `INSERT INTO tokens
       (hash, last_eight, user_id, client_id, scopes, permissions, note, created_at, expires_at,
        family_id)
     VALUES
       (:hash, :lastEight, :user_id, :client_id, :scopes, :permissions, :note, :now, :expires_at,
        :family_id)`,
    {...token, hash: secretHash(text), lastEight: text.slice(-8), now},
  )
}

/** Returns a token by its text, valid or not; `undefined` if it is unknown. */
export function findToken(store: Store, token: string, now: number): TokenWithUser | undefined {
  const row = store.get<TokenRow>('SELECT * FROM tokens WHERE hash = :hash', {
    hash: secretHash(token),
  })
  if (!row) return undefined
  const app = row.client_id === null ? undefined : appById(store, row.client_id)
  return {...row, user: userById(store, row.user_id)!, live: isLive(row, now) && !app?.suspended}
}

/** Returns a token by its ID, valid or not. */
export function tokenById(store: Store, id: number): TokenRow | undefined {
  return store.get<TokenRow>('SELECT * FROM tokens WHERE id = :id', {id})
}

/** Revokes a token by its ID. Returns false if it was unknown or already revoked. */
export function revokeToken(store: Store, id: number, now: number): boolean {
  const {changes} = store.run(
    'UPDATE tokens SET revoked_at = :now WHERE id = :id AND revoked_at IS NULL',
    {id, now},
  )
  return changes > 0
}

/** Expires the token with this text, as if its lifetime had passed. */
export function expireToken(store: Store, text: string, now: number): void {
  store.run('UPDATE tokens SET expires_at = :now WHERE hash = :hash', {
    hash: secretHash(text),
    now,
  })
}

/** Returns a user's tokens of an app, or personal tokens (`null`), valid or not, the oldest first. */
export function tokensOf(
  store: Store,
  userId: number,
  clientId: string | null,
): readonly TokenRow[] {
  return store.all<TokenRow>(
    'SELECT * FROM tokens WHERE user_id = :userId AND client_id IS :clientId ORDER BY id',
    {userId, clientId},
  )
}

/** Returns the valid tokens of `tokensOf`. */
export function liveTokens(
  store: Store,
  userId: number,
  clientId: string | null,
  now: number,
): readonly TokenRow[] {
  return tokensOf(store, userId, clientId).filter(token => isLive(token, now))
}

/** Returns the client IDs of the apps with a valid token of a user, in alphabetical order. */
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
 * Records the use of a token, at most once a day; a token expires after a year without use. Ignores
 * disk errors, so that a full disk can still be read.
 */
export function recordUse(store: Store, {id, used_at}: TokenRow, now: number): void {
  if (used_at !== null && now - used_at < DAY) return
  try {
    store.run('UPDATE tokens SET used_at = :now WHERE id = :id', {id, now})
  } catch (error) {
    if (!(error instanceof DiskError)) throw error
  }
}
