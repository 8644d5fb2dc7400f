import type {TokenRow} from '#lib/service/oauth/tokens/token.js'
import type {Store} from '#lib/service/store/index.js'
import {appsWithFamilies, endFamily, heldTokens, liveFamilies} from './families.js'
import {appsWithTokens} from './tokens.js'

/**
 * All SQL of the authorization service is here: apps, tokens, codes, browsers, organizations. It
 * decides nothing and answers nobody.
 */

/**
 * What an app has from a user: tokens that open something or can be refreshed, the oldest first, and what the user has
 * allowed and the app has not fetched a token for yet.
 */
export interface Access {
  readonly tokens: readonly TokenRow[]
  readonly underWay: readonly Approval[]
}

/** A device code or a code of the web flow behind which a user stands. */
interface Approval {
  readonly client_id: string
  /** As tokens have them. */
  readonly scopes: string
}

export function accessOf(store: Store, userId: number, clientId: string, now: number): Access {
  const underWay = approvals(store, userId, now).filter(({client_id}) => client_id === clientId)
  return {tokens: heldTokens(store, userId, clientId, now), underWay}
}

/** The IDs of the apps that have anything from a user, in alphabetical order. */
export function appsWithAccess(store: Store, userId: number, now: number): readonly string[] {
  const underWay = approvals(store, userId, now).map(({client_id}) => client_id)
  const held = [...appsWithTokens(store, userId, now), ...appsWithFamilies(store, userId, now)]
  return [...new Set([...held, ...underWay])].sort()
}

/** Takes everything back: tokens, and what could still become one. The app may ask anew. */
export function revokeAccess(store: Store, userId: number, clientId: string, now: number): void {
  const grant = {userId, clientId}
  store.write(() => {
    for (const {id} of liveFamilies(store, userId, clientId, now)) endFamily(store, id, now)
    store.run(
      `UPDATE tokens SET revoked_at = :now
       WHERE user_id = :userId AND client_id = :clientId AND revoked_at IS NULL`,
      {...grant, now},
    )
    // A device that still polls is told that the user does not want it.
    store.run(
      `UPDATE device_grants SET state = 'denied'
       WHERE user_id = :userId AND client_id = :clientId AND state = 'authorized'`,
      grant,
    )
    store.run('DELETE FROM codes WHERE user_id = :userId AND client_id = :clientId', grant)
  })
}

function approvals(store: Store, userId: number, now: number): readonly Approval[] {
  return store.all<Approval>(
    `SELECT client_id, scopes FROM device_grants
     WHERE user_id = :userId AND state = 'authorized' AND expires_at > :now
     UNION ALL
     SELECT client_id, scopes FROM codes WHERE user_id = :userId AND expires_at > :now`,
    {userId, now},
  )
}
