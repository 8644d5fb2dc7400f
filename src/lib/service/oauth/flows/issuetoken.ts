import type {App} from '#lib/service/oauth/store/apps.js'
import {mintToken} from '#lib/service/oauth/tokens/minttoken.js'
import type {Store} from '#lib/service/store/index.js'
import type {User} from '#lib/service/store/users.js'

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
