import {unknownScopeText} from '#lib/api/description/scopes.js'
import {mintToken} from '#lib/service/oauth/tokens/mint-token.js'
import {allScopes, requestedScopes, unknownScopes} from '#lib/service/oauth/tokens/scopes.js'
import type {Store} from '#lib/service/store/index.js'
import {defaultUser} from '#lib/service/store/seeded.js'
import {ensureUser} from '#lib/service/store/users.js'
import {lengthOf} from './times.js'
import type {TokenOptions} from './types.js'

/** Creates an access token, and its user if missing. Throws for an unknown scope. `now` is in Unix ms. */
export function createToken(
  store: Store,
  {user, scopes, expiresIn}: TokenOptions = {},
  now: number,
): string {
  if (user?.trim() === '') throw new Error('Invalid user: must not be empty.')
  const requested = (scopes ?? []).join(' ')
  const [unknown] = unknownScopes(requested)
  if (unknown !== undefined) throw new Error(unknownScopeText(unknown))
  const lifetime = typeof expiresIn === 'number' ? expiresIn * 1000 : expiresIn
  return mintToken(
    store,
    {
      user: user === undefined ? defaultUser(store, now) : ensureUser(store, user, now),
      scopes: scopes ? requestedScopes(requested) : allScopes(),
      note: 'drv/local',
      ...(lifetime !== undefined && {expiresAt: now + lengthOf(lifetime)}),
    },
    now,
  )
}
