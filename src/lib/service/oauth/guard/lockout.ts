import {atHeader, failure} from '#lib/service/errors.js'
import {attemptsAfter, type Limit} from '#lib/service/oauth/store/attempts.js'
import {secretHash} from '#lib/service/oauth/tokens/secrets.js'
import type {Store} from '#lib/service/store/index.js'
import {userByLogin} from '#lib/service/store/users.js'

/**
 * Too many bad credentials that name somebody lock all of that one's credentials out for a while,
 * good ones too (spec: authorization.md, Errors; reference: oauth.md, section 6). An address is
 * never counted: on one machine everybody shares it. All processes on the data directory count
 * together.
 */

/** How many bad credentials in how many ms lock sign-in for how many ms. */
interface Lockout extends Limit {
  readonly lock: number
}

/** The specification leaves the numbers open. */
const LOCKOUT: Lockout = {count: 10, window: 60_000, lock: 60_000}

/** Whom a credential names: a user, an app by its client ID, or nobody. */
export type Named = `user:${number}` | `app:${string}` | `nobody:${string}`

/** Whom a credential names that belongs to nobody: itself alone, be it a token or a name. */
export function nobody(credential: string): Named {
  return `nobody:${secretHash(credential)}`
}

/** Whom the user name of Basic authentication names. */
export function namedByLogin(store: Store, login: string): Named {
  const user = userByLogin(store, login)
  return user ? `user:${user.id}` : nobody(login.toLowerCase())
}

/** Throws 403 while whom the credentials name is locked out, also for credentials that are right. */
export function refuseLocked(store: Store, named: Named, now: number): void {
  const since = now - LOCKOUT.window - LOCKOUT.lock
  const end = lockedUntil(attemptsAfter(store, named, since, LOCKOUT.count), LOCKOUT)
  if (end === undefined || now >= end) return
  const message = 'Maximum number of login attempts exceeded. Please try again later.'
  const wait = {'Retry-After': `${Math.ceil((end - now) / 1000)}`}
  throw failure(403, 'loginAttemptsExceeded', message, atHeader('Authorization'), wait)
}

/** When the lock behind these failures (Unix ms, newest first) ends; `undefined` when there is none. */
export function lockedUntil(
  failures: readonly number[],
  {count, window, lock}: Lockout,
): number | undefined {
  const newest = failures[0]
  const oldest = failures[count - 1]
  if (newest === undefined || oldest === undefined) return undefined
  return newest - oldest < window ? newest + lock : undefined
}
