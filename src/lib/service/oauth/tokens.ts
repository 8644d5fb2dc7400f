import {crc32} from 'node:zlib'
import {DiskError} from '../store/content/disk.js'
import type {Store} from '../store/index.js'
import type {User} from '../store/users.js'
import {type Permissions, permissionsText} from './permissions.js'
import {fullScope, normalNames} from './scopes.js'
import {base62, randomText, secretHash} from './secrets.js'

/** How a token starts: made by hand for oneself, in one of two kinds, or through an app (reference: oauth.md, section 5). */
const PREFIX = {classic: 'drvp_', fine: 'drvf_', app: 'drvo_'} as const

export type TokenKind = keyof typeof PREFIX

const DAY = 24 * 60 * 60 * 1000

/** A token that nobody used for so long (ms) is over (reference: oauth.md, section 2). */
const UNUSED_LIFETIME = 365 * DAY

/** More tokens than this for one user, app and set of scopes: the oldest go (spec: authorization.md, Limits). */
const KEPT_TOKENS = 10

/** What a new token is for. Without `clientId` it is a personal access token. */
export interface TokenGrant {
  readonly user: User
  readonly clientId?: string
  /** In either spelling, which the token keeps; none for a fine-grained token. */
  readonly scopes: readonly string[]
  /** Makes a personal token a fine-grained one. */
  readonly permissions?: Permissions
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
  /** Joined by a space, in either spelling: see `scopesOf`. */
  readonly scopes: string
  /** Of a fine-grained token: see `readPermissions`. */
  readonly permissions: string | null
  readonly note: string | null
  readonly created_at: number
  readonly used_at: number | null
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
  const kind = grant.clientId ? 'app' : grant.permissions ? 'fine' : 'classic'
  const token = PREFIX[kind] + body + base62(crc32(body), 6)
  const scopes = normalNames(grant.scopes).join(' ')
  store.write(() => {
    store.run(
      `INSERT INTO tokens
         (hash, last_eight, user_id, client_id, scopes, permissions, note, created_at, expires_at)
       VALUES
         (:hash, :lastEight, :userId, :clientId, :scopes, :permissions, :note, :now, :expiresAt)`,
      {
        hash: secretHash(token),
        lastEight: token.slice(-8),
        userId: grant.user.id,
        clientId: grant.clientId ?? null,
        scopes,
        permissions: grant.permissions ? permissionsText(grant.permissions) : null,
        note: grant.note ?? null,
        now,
        expiresAt: grant.expiresAt ?? null,
      },
    )
    if (grant.clientId) revokeSurplus(store, grant.user.id, grant.clientId, scopes, now)
  })
  return token
}

/** Revokes an app's oldest tokens of a user for these scopes, in whatever spelling. */
function revokeSurplus(
  store: Store,
  userId: number,
  clientId: string,
  scopes: string,
  now: number,
): void {
  const wanted = scopesOf({scopes}).join(' ')
  const tokens = store.all<TokenRow>(
    `SELECT * FROM tokens
     WHERE user_id = :userId AND client_id = :clientId AND revoked_at IS NULL ORDER BY id DESC`,
    {userId, clientId},
  )
  const same = tokens.filter(token => scopesOf(token).join(' ') === wanted)
  for (const {id} of same.slice(KEPT_TOKENS)) revokeToken(store, id, now)
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
export function scopesOf(token: Pick<TokenRow, 'scopes'>): readonly string[] {
  return scopeNamesOf(token).map(fullScope)
}

/** The scopes of a token under the names it was granted them by. */
export function scopeNamesOf({scopes}: Pick<TokenRow, 'scopes'>): readonly string[] {
  return scopes.split(' ').filter(value => value !== '')
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

export function kindOf({client_id, permissions}: TokenRow): TokenKind {
  if (client_id !== null) return 'app'
  return permissions === null ? 'classic' : 'fine'
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

function isLive(token: TokenRow, now: number): boolean {
  const {revoked_at, expires_at, created_at, used_at} = token
  if (revoked_at !== null || now - (used_at ?? created_at) >= UNUSED_LIFETIME) return false
  return expires_at === null || now < expires_at
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
