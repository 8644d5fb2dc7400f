import type {App} from '#lib/service/oauth/store/apps.js'
import {addToken, revokeToken, tokensOf} from '#lib/service/oauth/store/tokens.js'
import type {Store} from '#lib/service/store/index.js'
import type {User} from '#lib/service/store/users.js'
import {type Permissions, permissionsText} from './permissions.js'
import {normalNames} from './scopes.js'
import {newTokenText, scopesOf} from './token.js'

/**
 * What tokens are is said here: their text, scopes, permissions and life. Whom they let in is up to
 * `../guard`; their rows are in `../store`.
 */

/** More tokens than this for one user, app and set of scopes: the oldest go (spec: authorization.md, Limits). */
const KEPT_TOKENS = 10

/** What a new token is for. Without `clientId` it is a personal access token. */
export interface NewToken {
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

/**
 * Makes a token and returns its text, which nobody can read again: the store keeps a hash. Of an
 * app's tokens for the same user and scopes the ten newest stay; personal ones are not counted.
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
      },
      now,
    )
    if (clientId) revokeSurplus(store, user.id, clientId, scopes, now)
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
  const same = tokensOf(store, userId, clientId).filter(
    token => token.revoked_at === null && scopesOf(token).join(' ') === wanted,
  )
  for (const {id} of same.slice(0, -KEPT_TOKENS)) revokeToken(store, id, now)
}

/** What the token endpoint answers when all is well; scopes stand joined by commas. */
export type TokenAnswer = {
  readonly access_token: string
  readonly token_type: 'bearer'
  readonly scope: string
}

/** Mints a token for an app and puts it into the words of the token endpoint. */
export function issueToken(
  store: Store,
  app: App,
  user: User,
  scopes: readonly string[],
  now: number,
): TokenAnswer {
  const token = mintToken(store, {user, clientId: app.client_id, scopes}, now)
  return {access_token: token, token_type: 'bearer', scope: scopes.join(',')}
}
