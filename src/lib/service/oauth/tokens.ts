import {crc32} from 'node:zlib'
import type {Store} from '../store/index.js'
import type {User} from '../store/users.js'
import {normalScopes} from './scopes.js'
import {base62, randomText, secretHash} from './secrets.js'

/** How a token starts: by hand for oneself, or through an app (reference: oauth.md, section 5). */
const PREFIX = {personal: 'drvp_', oauth: 'drvo_'} as const

/** More tokens than this for one user, app and set of scopes: the oldest go (spec: authorization.md, Limits). */
const KEPT_TOKENS = 10

/** What a new token is for. Without `clientId` it is a personal access token. */
export interface TokenGrant {
  readonly user: User
  readonly clientId?: string
  /** Full scope values. */
  readonly scopes: readonly string[]
  /** What the token is for, in the user's words. */
  readonly note?: string
  /** Unix ms; without it the token lives until it is revoked. */
  readonly expiresAt?: number
}

/** A token as the service keeps it. */
export interface TokenRow {
  readonly id: number
  readonly hash: string
  readonly last_eight: string
  readonly user_id: number
  readonly client_id: string | null
  readonly scopes: string
  readonly note: string | null
  readonly created_at: number
  readonly expires_at: number | null
  readonly revoked_at: number | null
}

/** A token with its user; `live` when it opens anything. */
export interface FoundToken extends TokenRow {
  readonly user: User
  readonly live: boolean
}

/**
 * Makes a token and returns its text, which nobody can read again: the store keeps a hash. Of an
 * app's tokens for the same user and scopes the ten newest stay; personal ones are not counted.
 */
export function mintToken(store: Store, grant: TokenGrant, now: number): string {
  const body = randomText(store.random, 30)
  const token = PREFIX[grant.clientId ? 'oauth' : 'personal'] + body + base62(crc32(body), 6)
  const scopes = normalScopes(grant.scopes).join(' ')
  store.write(() => {
    store.run(
      `INSERT INTO tokens (hash, last_eight, user_id, client_id, scopes, note, created_at, expires_at)
       VALUES (:hash, :lastEight, :userId, :clientId, :scopes, :note, :now, :expiresAt)`,
      {
        hash: secretHash(token),
        lastEight: token.slice(-8),
        userId: grant.user.id,
        clientId: grant.clientId ?? null,
        scopes,
        note: grant.note ?? null,
        now,
        expiresAt: grant.expiresAt ?? null,
      },
    )
    if (!grant.clientId) return
    store.run(
      `UPDATE tokens SET revoked_at = :now WHERE id IN (
         SELECT id FROM tokens
         WHERE user_id = :userId AND client_id = :clientId AND scopes = :scopes AND revoked_at IS NULL
         ORDER BY id DESC LIMIT -1 OFFSET :kept)`,
      {now, userId: grant.user.id, clientId: grant.clientId, scopes, kept: KEPT_TOKENS},
    )
  })
  return token
}

/** The token of this text, dead or alive; `undefined` when there never was one. */
export function findToken(store: Store, token: string, now: number): FoundToken | undefined {
  const row = store.get<TokenRow & UserColumns & {suspended: number | null}>(
    `SELECT t.*, a.suspended, u.login, u.name, u.email, u.permission_id, u.root_id,
       u.created_at AS user_created_at, u.updated_at AS user_updated_at
     FROM tokens t JOIN users u ON u.id = t.user_id LEFT JOIN apps a ON a.client_id = t.client_id
     WHERE t.hash = :hash`,
    {hash: secretHash(token)},
  )
  return row && {...row, user: userOf(row), live: isLive(row, now) && !row.suspended}
}

/** Revokes a token by its ID. Tells whether there was a live one. */
export function revokeToken(store: Store, id: number, now: number): boolean {
  const {changes} = store.run(
    'UPDATE tokens SET revoked_at = :now WHERE id = :id AND revoked_at IS NULL',
    {id, now},
  )
  return changes > 0
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

/** The scopes of a token as a list of full values. */
export function scopesOf({scopes}: Pick<TokenRow, 'scopes'>): readonly string[] {
  return scopes.split(' ').filter(value => value !== '')
}

function isLive({revoked_at, expires_at}: TokenRow, now: number): boolean {
  return revoked_at === null && (expires_at === null || now < expires_at)
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
    permission_id: row.permission_id,
    root_id: row.root_id,
    created_at: row.user_created_at,
    updated_at: row.user_updated_at,
  }
}
