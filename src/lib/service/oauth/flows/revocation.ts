import type {App} from '#lib/service/oauth/store/apps.js'
import {endFamily, findRefreshToken} from '#lib/service/oauth/store/families.js'
import {findToken, revokeToken} from '#lib/service/oauth/store/tokens.js'
import type {Store} from '#lib/service/store/index.js'

/**
 * Ends a token of an app: with a refresh token all tokens of its sign-in, with an access token that
 * one. What is no token of this app stays as it is.
 */
export function revoke(store: Store, app: App, text: string, now: number): void {
  store.write(() => {
    const refresh = findRefreshToken(store, app.client_id, text, now)
    if (refresh) return endFamily(store, refresh.id, now)
    const token = findToken(store, text, now)
    if (token?.client_id === app.client_id) revokeToken(store, token.id, now)
  })
}
