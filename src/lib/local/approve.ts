import {codeProblem, grantByUserCode} from '#lib/service/oauth/flows/device-flow.js'
import {ssoSubject} from '#lib/service/oauth/flows/sso.js'
import {decideGrant} from '#lib/service/oauth/store/grants.js'
import type {Store} from '#lib/service/store/index.js'
import {allUsers, userByLogin} from '#lib/service/store/users.js'
import type {ApproveOptions} from './types.js'

const PROBLEMS = {
  unknown: code => `No sign-in is waiting for the code ${code}.`,
  used: code => `The code ${code} has already been used.`,
  expired: code => `The code ${code} has expired.`,
} as const satisfies Readonly<Record<string, (code: string) => string>>

/** Decides a sign-in by its user code, or single sign-on by its URL. Throws if that is not possible. `now` is in Unix ms. */
export function decideSignIn(
  store: Store,
  code: string,
  {as: login, deny = false}: ApproveOptions = {},
  now: number,
): void {
  if (code.includes('/')) {
    const subject = ssoSubject(store, code, now)
    if (!subject) throw new Error('The URL for single sign-on is unknown or has expired.')
    if (!deny) subject.authorize()
    return
  }
  const grant = grantByUserCode(store, code)
  const problem = codeProblem(grant, now)
  if (!grant || problem) throw new Error(PROBLEMS[problem ?? 'unknown'](code))
  const user = login === undefined ? allUsers(store)[0] : userByLogin(store, login)
  if (!user) throw new Error(`No user has the login "${login}".`)
  decideGrant(store, grant, {state: deny ? 'denied' : 'authorized', user}, now)
}
