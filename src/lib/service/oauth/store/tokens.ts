import {secretHash} from '#lib/service/oauth/tokens/secrets.js'
import {isLive, type TokenRow} from '#lib/service/oauth/tokens/token.js'
import {DiskError} from '#lib/service/store/database/disk.js'
import type {Store} from '#lib/service/store/index.js'
import {type User, userById} from '#lib/service/store/users.js'
import {appById} from './apps.js'

const DAY = 24 * 60 * 60 * 1000

/** A token with its user; `live` when it opens anything. */
export interface TokenWithUser extends TokenRow {
  readonly user: User
  readonly live: boolean
}

type NewToken = Pick<
  TokenRow,
  'user_id' | 'client_id' | 'scopes' | 'permissions' | 'note' | 'expires_at' | 'family_id'
>

/** Keeps a new token: the hash of its text, and its last eight characters. */
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

/** The token of this text, dead or alive; `undefined` when there never was one. */
export function findToken(store: Store, token: string, now: number): TokenWithUser | undefined {
  const row = store.get<TokenRow>('SELECT * FROM tokens WHERE hash = :hash', {
    hash: secretHash(token),
  })
  if (!row) return undefined
  const app = row.client_id === null ? undefined : appById(store, row.client_id)
  return {...row, user: userById(store, row.user_id)!, live: isLive(row, now) && !app?.suspended}
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

/** Ends the life of the token of this text, as its time would have. */
export function expireToken(store: Store, text: string, now: number): void {
  store.run('UPDATE tokens SET expires_at = :now WHERE hash = :hash', {
    hash: secretHash(text),
    now,
  })
}

/** The tokens of a user through an app, or those made by hand (`null`), dead ones too, the oldest first. */
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

/** Those of `tokensOf` that open something. */
export function liveTokens(
  store: Store,
  userId: number,
  clientId: string | null,
  now: number,
): readonly TokenRow[] {
  return tokensOf(store, userId, clientId).filter(token => isLive(token, now))
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
