import type {Store} from '#lib/service/store/index.js'
import {EMAIL_DOMAIN, userByEmail, userByLogin} from '#lib/service/store/users.js'

/**
 * The authorization service: `endpoints` responds to programs and `pages` to people; both use `flows`.
 * `guard` authenticates and authorizes requests, `tokens` defines tokens, scopes and permissions, and
 * `store` contains the SQL. The operations of the API are in `../handlers`.
 */

const LOGIN = /^[a-z\d](?:[a-z\d-]{0,37}[a-z\d])?$/i
const EMAIL = /^[^\s@]+@[^\s@]+$/

/** Whether a text is a valid login: up to 39 letters, digits and hyphens, with no hyphen at the start or end. */
export function isLogin(text: string): boolean {
  return LOGIN.test(text)
}

/** Returns a sentence about an invalid or used login or email address of a new account; `undefined` if both are free. */
export function accountProblem(store: Store, login: string, email?: string): string | undefined {
  if (!isLogin(login)) {
    return 'A login must consist of 1 to 39 letters, digits and hyphens, and must not start or end with a hyphen.'
  }
  if (userByLogin(store, login)) return `The account ${login} already exists.`
  const address = email ?? `${login}@${EMAIL_DOMAIN}`
  if (!EMAIL.test(address)) return `Invalid email address: ${JSON.stringify(address)}.`
  const owner = userByEmail(store, address)
  return owner && `The account ${owner.login} already uses the email address ${address}.`
}
