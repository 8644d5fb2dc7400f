import type {App} from '#lib/service/oauth/store/apps.js'
import {endFamily, findRefreshToken} from '#lib/service/oauth/store/families.js'
import {findToken, revokeToken} from '#lib/service/oauth/store/tokens.js'
import type {Store} from '#lib/service/store/index.js'

/**
 * Revokes a token of an app: an access token alone, a refresh token with all tokens of its sign-in.
 * Does nothing for other texts.
 */
export function revoke(store: Store, app: App, text: string, now: number): void {
  store.write(() => {
    const refresh = findRefreshToken(store, app.client_id, text, now)
    if (refresh) return endFamily(store, refresh.id, now)
    const token = findToken(store, text, now)
    if (token?.client_id === app.client_id) revokeToken(store, token.id, now)
  })
}
