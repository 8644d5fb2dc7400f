import type {App} from '#lib/service/oauth/store/apps.js'
import {
  addFamily,
  addRefreshToken,
  endFamily,
  liveFamilies,
  type TokenFamily,
} from '#lib/service/oauth/store/families.js'
import {addToken, revokeToken, tokensOf} from '#lib/service/oauth/store/tokens.js'
import type {Store} from '#lib/service/store/index.js'
import type {User} from '#lib/service/store/users.js'
import {type Permissions, permissionsText} from './permissions.js'
import {normalNames} from './scopes.js'
import {newTokenText, scopeNamesOf, scopesOf} from './token.js'

/**
 * Tokens: their text, scopes, permissions and lifetime. `../guard` checks them; their rows are in
 * `../store`.
 */

/** Maximum number of tokens for one user, app and set of scopes; the oldest are revoked (spec: authorization.md, Limits). */
const KEPT_TOKENS = 10

/** Lifetime of a refresh token in ms: half a year. */
const REFRESH_LIFETIME = 184 * 24 * 60 * 60 * 1000

/** The properties of a new token. Without `clientId` it is a personal access token. */
export interface NewToken {
  readonly user: User
  readonly clientId?: string
  /** In either spelling, which the token keeps; empty for a fine-grained token. */
  readonly scopes: readonly string[]
  /** The permissions of a fine-grained personal token. */
  readonly permissions?: Permissions
  /** The user's name for the token. */
  readonly note?: string
  /** Unix ms (default: valid until revoked). */
  readonly expiresAt?: number
}

/**
 * Creates a token and returns its text, which cannot be read again: the store keeps only a hash. Of an
 * app's tokens for the same user and scopes, the ten newest are kept; personal tokens are unlimited.
 */
export function mintToken(store: Store, grant: NewToken, now: number): string {
  const {user, clientId, permissions, note, expiresAt} = grant
  const kind = clientId ? 'app' : permissions ? 'fine' : 'classic'
  const token = newTokenText(kind, store.random)
  const scopes = normalNames(grant.scopes).join(' ')
  store.write(() => {
    addToken(
      store,
      token,
      {
        user_id: user.id,
        client_id: clientId ?? null,
        scopes,
        permissions: permissions ? permissionsText(permissions) : null,
        note: note ?? null,
        expires_at: expiresAt ?? null,
        family_id: null,
      },
      now,
    )
    if (clientId) revokeSurplus(store, user.id, clientId, scopes, now)
  })
  return token
}

/** Revokes an app's oldest tokens of a user for these scopes, in either spelling. */
function revokeSurplus(
  store: Store,
  userId: number,
  clientId: string,
  scopes: string,
  now: number,
): void {
  const tokens = tokensOf(store, userId, clientId).filter(
    token => token.revoked_at === null && token.family_id === null,
  )
  for (const {id} of surplusOf(tokens, scopes)) revokeToken(store, id, now)
}

/** Returns the grants for these scopes, in either spelling, that exceed the maximum; both lists have the oldest first. */
function surplusOf<Grant extends {readonly scopes: string}>(
  grants: readonly Grant[],
  scopes: string,
): readonly Grant[] {
  const wanted = scopesOf({scopes}).join(' ')
  return grants.filter(grant => scopesOf(grant).join(' ') === wanted).slice(0, -KEPT_TOKENS)
}

/** The successful response of the token endpoint, scopes separated by commas, times in seconds. */
export type TokenAnswer = {
  readonly access_token: string
  readonly token_type: 'bearer'
  readonly scope: string
  readonly expires_in?: number
  readonly refresh_token?: string
  readonly refresh_token_expires_in?: number
}

/** A user's approval of an app. */
interface Grant {
  readonly app: App
  readonly user: User
  /** In the spelling of the request. */
  readonly scopes: readonly string[]
  /** Whether it comes from the device flow, so that refreshing needs no secret. */
  readonly byDevice: boolean
}

/**
 * Creates a token for an app and returns the response of the token endpoint. If the app's tokens
 * expire, the token starts a family; the ten newest families for the same user and scopes are kept.
 */
export function issueToken(store: Store, grant: Grant, now: number): TokenAnswer {
  const {app, user, byDevice} = grant
  const {client_id: clientId, token_lifetime: lifetime} = app
  if (lifetime === null) {
    const token = mintToken(store, {user, clientId, scopes: grant.scopes}, now)
    return {access_token: token, token_type: 'bearer', scope: grant.scopes.join(',')}
  }
  return store.write(() => {
    const scopes = normalNames(grant.scopes).join(' ')
    const family = {
      user_id: user.id,
      client_id: clientId,
      scopes,
      by_device: byDevice ? 1 : 0,
      expires_at: now + REFRESH_LIFETIME,
    } as const
    const id = addFamily(store, family, now)
    for (const old of surplusOf(liveFamilies(store, user.id, clientId, now), scopes)) {
      endFamily(store, old.id, now)
    }
    return renewToken(store, {...family, id}, lifetime, now)
  })
}

/** Creates the next access token of a family, valid for `lifetime` ms, and the next refresh token. */
export function renewToken(
  store: Store,
  family: TokenFamily,
  lifetime: number,
  now: number,
): TokenAnswer {
  const {id: familyId} = family
  const access = newTokenText('app', store.random)
  const refresh = newTokenText('refresh', store.random)
  store.write(() => {
    addRefreshToken(store, refresh, {familyId, expiresAt: now + REFRESH_LIFETIME})
    addToken(
      store,
      access,
      {
        user_id: family.user_id,
        client_id: family.client_id,
        scopes: family.scopes,
        permissions: null,
        note: null,
        expires_at: now + lifetime,
        family_id: familyId,
      },
      now,
    )
  })
  return {
    access_token: access,
    token_type: 'bearer',
    scope: scopeNamesOf(family).join(','),
    expires_in: Math.floor(lifetime / 1000),
    refresh_token: refresh,
    refresh_token_expires_in: REFRESH_LIFETIME / 1000,
  }
}
