import {secretHash} from '#lib/service/oauth/tokens/secrets.js'
import type {Store} from '#lib/service/store/index.js'
import type {User} from '#lib/service/store/users.js'

/** Time in ms for which an account stays signed in to a browser. */
const SESSION_LIFETIME = 30 * 24 * 60 * 60 * 1000

/**
 * Signs an account in under a new session ID, together with the accounts of the `former` ID. The
 * former ID becomes invalid, because someone else may have set it in the browser (session fixation).
 */
export function addBrowserAccount(
  store: Store,
  {id, former}: {id: string; former: string | undefined},
  user: User,
  now: number,
): void {
  const hash = secretHash(id)
  store.write(() => {
    store.run('DELETE FROM browser_accounts WHERE chosen_at <= :old', {old: now - SESSION_LIFETIME})
    if (former) {
      store.run('UPDATE browser_accounts SET browser_hash = :hash WHERE browser_hash = :old', {
        hash,
        old: secretHash(former),
      })
    }
    store.run(
      `INSERT INTO browser_accounts (browser_hash, user_id, chosen_at, number)
       VALUES (:hash, :userId, :now,
         (SELECT coalesce(max(number), 0) + 1 FROM browser_accounts WHERE browser_hash = :hash))
       ON CONFLICT DO UPDATE SET chosen_at = excluded.chosen_at, number = excluded.number`,
      {hash, userId: user.id, now},
    )
  })
}

/** Returns the IDs of the users signed in under a session ID, the most recently chosen first. */
export function browserAccounts(store: Store, id: string, now: number): readonly number[] {
  return store
    .all<{user_id: number}>(
      `SELECT user_id FROM browser_accounts WHERE browser_hash = :hash AND chosen_at > :start
       ORDER BY number DESC`,
      {hash: secretHash(id), start: now - SESSION_LIFETIME},
    )
    .map(row => row.user_id)
}

/** Signs out all accounts of a session ID. */
export function removeBrowserAccounts(store: Store, id: string): void {
  store.run('DELETE FROM browser_accounts WHERE browser_hash = :hash', {hash: secretHash(id)})
}
