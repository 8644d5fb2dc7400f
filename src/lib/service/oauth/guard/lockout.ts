import {atHeader, failure} from '#lib/service/errors.js'
import {attemptsAfter, type Limit} from '#lib/service/oauth/store/attempts.js'
import {secretHash} from '#lib/service/oauth/tokens/secrets.js'
import type {Store} from '#lib/service/store/index.js'
import {userByLogin} from '#lib/service/store/users.js'

/**
 * Too many failed attempts for a user or an app lock out all their credentials for a while, including
 * valid ones (spec: authorization.md, Errors; reference: oauth.md, section 6). IP addresses are not
 * counted, because all users of a machine share one. All processes on the data directory share the
 * counts.
 */

/** `count` failed attempts within `window` ms lock the credentials for `lock` ms. */
interface Lockout extends Limit {
  readonly lock: number
}

/** The specification does not fix these numbers. */
const LOCKOUT: Lockout = {count: 10, window: 60_000, lock: 60_000}

/** The subject of failed attempts: a user, an app by its client ID, or an unknown credential. */
export type LockoutSubject = `user:${number}` | `app:${string}` | `nobody:${string}`

/** Returns the subject for an unknown token or login: the credential itself. */
export function noSubject(credential: string): LockoutSubject {
  return `nobody:${secretHash(credential)}`
}

/** Returns the subject for a login. */
export function namedByLogin(store: Store, login: string): LockoutSubject {
  const user = userByLogin(store, login)
  return user ? `user:${user.id}` : noSubject(login.toLowerCase())
}

/** Throws 403 while a subject is locked out, even if the credentials are valid. */
export function refuseLocked(store: Store, named: LockoutSubject, now: number): void {
  const since = now - LOCKOUT.window - LOCKOUT.lock
  const end = lockedUntil(attemptsAfter(store, named, since, LOCKOUT.count), LOCKOUT)
  if (end === undefined || now >= end) return
  const message = 'Maximum number of login attempts exceeded. Please try again later.'
  const wait = {'Retry-After': `${Math.ceil((end - now) / 1000)}`}
  throw failure(403, 'loginAttemptsExceeded', message, atHeader('Authorization'), wait)
}

/** Returns when the lock after these failures ends, all in Unix ms and the newest first; `undefined` without a lock. */
export function lockedUntil(
  failures: readonly number[],
  {count, window, lock}: Lockout,
): number | undefined {
  const newest = failures[0]
  const oldest = failures[count - 1]
  if (newest === undefined || oldest === undefined) return undefined
  return newest - oldest < window ? newest + lock : undefined
}
