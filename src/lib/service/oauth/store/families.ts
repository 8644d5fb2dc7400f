import {secretHash} from '#lib/service/oauth/tokens/secrets.js'
import {isLive, type TokenRow} from '#lib/service/oauth/tokens/token.js'
import type {Store} from '#lib/service/store/index.js'
import {tokensOf} from './tokens.js'

/** All tokens of one sign-in to an app with expiring tokens. */
export interface TokenFamily {
  readonly id: number
  readonly user_id: number
  readonly client_id: string
  /** Separated by spaces, as in `TokenRow`. */
  readonly scopes: string
  /** 1 after the device flow: refreshing needs no client secret. */
  readonly by_device: 0 | 1
  readonly expires_at: number
}

/** A refresh token with its family. */
export interface RefreshToken extends TokenFamily {
  readonly hash: string
  readonly used_at: number | null
}

/** Adds a family and returns its ID. Deletes expired families. */
export function addFamily(store: Store, family: Omit<TokenFamily, 'id'>, now: number): number {
  store.run('DELETE FROM token_families WHERE expires_at <= :now', {now})
  const {lastId} = store.run(
    `INSERT INTO token_families (user_id, client_id, scopes, by_device, expires_at)
     VALUES (:user_id, :client_id, :scopes, :by_device, :expires_at)`,
    {...family},
  )
  return lastId
}

/** Stores the hash of a new refresh token, and extends the life of its family to that of the token. */
export function addRefreshToken(
  store: Store,
  text: string,
  {familyId, expiresAt}: {readonly familyId: number; readonly expiresAt: number},
): void {
  store.run(
    'INSERT INTO refresh_tokens (hash, family_id, expires_at) VALUES (:hash, :familyId, :expiresAt)',
    {hash: secretHash(text), familyId, expiresAt},
  )
  store.run('UPDATE token_families SET expires_at = :expiresAt WHERE id = :familyId', {
    familyId,
    expiresAt,
  })
}

/** Returns an app's refresh token by its text, used or not; `undefined` if it is unknown or expired. */
export function findRefreshToken(
  store: Store,
  clientId: string,
  text: string,
  now: number,
): RefreshToken | undefined {
  return store.get<RefreshToken>(
    `SELECT f.*, r.hash, r.used_at FROM refresh_tokens r JOIN token_families f ON f.id = r.family_id
     WHERE r.hash = :hash AND f.client_id = :clientId AND r.expires_at > :now`,
    {hash: secretHash(text), clientId, now},
  )
}

/** Records the first use of a refresh token. */
export function recordRefresh(store: Store, {hash}: RefreshToken, now: number): void {
  store.run('UPDATE refresh_tokens SET used_at = :now WHERE hash = :hash AND used_at IS NULL', {
    hash,
    now,
  })
}

/** Deletes a family with its refresh tokens, and revokes its access tokens. */
export function endFamily(store: Store, id: number, now: number): void {
  store.write(() => {
    store.run('UPDATE tokens SET revoked_at = :now WHERE family_id = :id AND revoked_at IS NULL', {
      id,
      now,
    })
    store.run('DELETE FROM token_families WHERE id = :id', {id})
  })
}

/** Returns the unexpired families of a user and an app, the oldest first. */
export function liveFamilies(
  store: Store,
  userId: number,
  clientId: string,
  now: number,
): readonly TokenFamily[] {
  return store.all<TokenFamily>(
    `SELECT * FROM token_families
     WHERE user_id = :userId AND client_id = :clientId AND expires_at > :now ORDER BY id`,
    {userId, clientId, now},
  )
}

/** Returns the client IDs of the apps that can refresh a token of a user. */
export function appsWithFamilies(store: Store, userId: number, now: number): readonly string[] {
  return store
    .all<{client_id: string}>(
      'SELECT DISTINCT client_id FROM token_families WHERE user_id = :userId AND expires_at > :now',
      {userId, now},
    )
    .map(({client_id}) => client_id)
}

/**
 * Returns the tokens that give an app access to a user's account, the oldest first: valid tokens, and
 * the newest token of each family, which can be refreshed if it has expired.
 */
export function heldTokens(
  store: Store,
  userId: number,
  clientId: string,
  now: number,
): readonly TokenRow[] {
  const families = new Set(liveFamilies(store, userId, clientId, now).map(({id}) => id))
  const tokens = tokensOf(store, userId, clientId)
  const newest = new Map(tokens.map(token => [token.family_id, token.id]))
  return tokens.filter(token => {
    const {id, family_id} = token
    const isFamily = family_id !== null && families.has(family_id)
    return isFamily ? newest.get(family_id) === id : isLive(token, now)
  })
}
