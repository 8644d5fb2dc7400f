import type {Store} from '#lib/service/store/index.js'

/** Removes all that lets somebody in as a user, and what is on its way to that. Within a transaction. */
export function forgetSignIns(store: Store, userId: number): void {
  for (const table of ['sso_authorizations', 'sso_requests']) {
    store.run(
      `DELETE FROM ${table} WHERE token_id IN (SELECT id FROM tokens WHERE user_id = :userId)`,
      {userId},
    )
  }
  for (const table of ['tokens', 'codes', 'device_grants', 'browser_accounts']) {
    store.run(`DELETE FROM ${table} WHERE user_id = :userId`, {userId})
  }
  store.run('DELETE FROM attempts WHERE subject = :subject', {subject: `user:${userId}`})
}
