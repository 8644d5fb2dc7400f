import type {OauthError} from '#lib/service/oauth/endpoints/answer.js'
import type {App} from '#lib/service/oauth/store/apps.js'
import {
  endFamily,
  findRefreshToken,
  recordRefresh,
  type RefreshToken,
} from '#lib/service/oauth/store/families.js'
import {issueToken, renewToken, type TokenAnswer} from '#lib/service/oauth/tokens/mint-token.js'
import {isAppSecret} from '#lib/service/oauth/tokens/secrets.js'
import {scopeNamesOf} from '#lib/service/oauth/tokens/token.js'
import type {Store} from '#lib/service/store/index.js'
import {userById} from '#lib/service/store/users.js'

/**
 * Exchanges a refresh token for an access token and a new refresh token. A refresh token is valid
 * once. Using it again after the app's reuse interval revokes all tokens of the sign-in, because the
 * token may be stolen. An app with a secret must send it, unless the sign-in used the device flow.
 */
export function refreshToken(
  store: Store,
  app: App,
  parameters: ReadonlyMap<string, string>,
  now: number,
): TokenAnswer | OauthError {
  if (app.suspended) return {error: 'application_suspended'}
  return store.write(() => {
    const found = findRefreshToken(store, app.client_id, parameters.get('refresh_token') ?? '', now)
    if (!found) return {error: 'bad_refresh_token'}
    const needsSecret = app.secret_hash !== null && found.by_device === 0
    if (needsSecret && !isAppSecret(app, parameters.get('client_secret'))) {
      return {error: 'incorrect_client_credentials'}
    }
    if (isStolen(found, app, now)) {
      endFamily(store, found.id, now)
      return {error: 'bad_refresh_token', error_description: REUSED}
    }
    recordRefresh(store, found, now)
    if (app.token_lifetime !== null) return renewToken(store, found, app.token_lifetime, now)
    // The app's tokens no longer expire, so there is nothing left to refresh.
    endFamily(store, found.id, now)
    const user = userById(store, found.user_id)!
    return issueToken(store, {app, user, scopes: scopeNamesOf(found), byDevice: false}, now)
  })
}

const REUSED =
  'The refresh token was already used, so all tokens of this sign-in have been revoked.'

/** Whether a refresh token is used again after the reuse interval, in which a client may retry after a lost response. */
export function isStolen(
  {used_at}: Pick<RefreshToken, 'used_at'>,
  {reuse_interval}: Pick<App, 'reuse_interval'>,
  now: number,
): boolean {
  return used_at !== null && now - used_at >= reuse_interval
}
