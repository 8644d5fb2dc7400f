import type {Store} from '#lib/service/store/index.js'
import {EMAIL_DOMAIN, userByEmail, userByLogin} from '#lib/service/store/users.js'

/**
 * The authorization service: `endpoints` answers programs and `pages` people, both by means of `flows`.
 * `guard` tells who sends a request and what they may do, `tokens` what tokens, scopes and permissions
 * are; SQL is in `store`, and the operations of the API are in `../handlers`.
 */

const LOGIN = /^[a-z\d](?:[a-z\d-]{0,37}[a-z\d])?$/i
const EMAIL = /^[^\s@]+@[^\s@]+$/

/** Whether an account may be called so. */
export function isLogin(text: string): boolean {
  return LOGIN.test(text)
}

/** What is wrong with the login or the address of a new account, as a sentence; `undefined` when all is well. */
export function accountProblem(store: Store, login: string, email?: string): string | undefined {
  if (!isLogin(login)) {
    return 'The name of an account has up to 39 letters, digits and hyphens, with no hyphen at an end.'
  }
  if (userByLogin(store, login)) return `There is an account ${login} already.`
  const address = email ?? `${login}@${EMAIL_DOMAIN}`
  if (!EMAIL.test(address)) return `${JSON.stringify(address)} is no email address.`
  const owner = userByEmail(store, address)
  return owner && `The address ${address} belongs to the account ${owner.login}.`
}
