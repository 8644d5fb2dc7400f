import type {TokenRow} from '#lib/service/oauth/tokens/token.js'
import type {Store} from '#lib/service/store/index.js'
import {appsWithFamilies, endFamily, heldTokens, liveFamilies} from './families.js'
import {appsWithTokens} from './tokens.js'

/**
 * All SQL of the authorization service: apps, tokens, codes, browser sessions, organizations. It
 * contains no decisions and no responses.
 */

/**
 * The access of an app to a user's account: tokens that are valid or can be refreshed, the oldest
 * first, and approvals for which the app has not fetched a token yet.
 */
export interface Access {
  readonly tokens: readonly TokenRow[]
  readonly approvals: readonly Approval[]
}

/** A device code or authorization code that the user has approved. */
interface Approval {
  readonly client_id: string
  /** Separated by spaces, as in `TokenRow`. */
  readonly scopes: string
}

export function accessOf(store: Store, userId: number, clientId: string, now: number): Access {
  const approvals = approvalsOf(store, userId, now).filter(({client_id}) => client_id === clientId)
  return {tokens: heldTokens(store, userId, clientId, now), approvals}
}

/** Returns the client IDs of the apps with access to a user's account, in alphabetical order. */
export function appsWithAccess(store: Store, userId: number, now: number): readonly string[] {
  const approved = approvalsOf(store, userId, now).map(({client_id}) => client_id)
  const held = [...appsWithTokens(store, userId, now), ...appsWithFamilies(store, userId, now)]
  return [...new Set([...held, ...approved])].sort()
}

/** Revokes all tokens and approvals of an app for a user. The app may request access again. */
export function revokeAccess(store: Store, userId: number, clientId: string, now: number): void {
  const grant = {userId, clientId}
  store.write(() => {
    for (const {id} of liveFamilies(store, userId, clientId, now)) endFamily(store, id, now)
    store.run(
      `UPDATE tokens SET revoked_at = :now
       WHERE user_id = :userId AND client_id = :clientId AND revoked_at IS NULL`,
      {...grant, now},
    )
    // A device that still polls gets the error access_denied.
    store.run(
      `UPDATE device_grants SET state = 'denied'
       WHERE user_id = :userId AND client_id = :clientId AND state = 'authorized'`,
      grant,
    )
    store.run('DELETE FROM codes WHERE user_id = :userId AND client_id = :clientId', grant)
  })
}

function approvalsOf(store: Store, userId: number, now: number): readonly Approval[] {
  return store.all<Approval>(
    `SELECT client_id, scopes FROM device_grants
     WHERE user_id = :userId AND state = 'authorized' AND expires_at > :now
     UNION ALL
     SELECT client_id, scopes FROM codes WHERE user_id = :userId AND expires_at > :now`,
    {userId, now},
  )
}
