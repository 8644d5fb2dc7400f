import type {Approval} from '#lib/service/oauth/call.js'
import type {OauthError} from '#lib/service/oauth/endpoints/answer.js'
import type {App} from '#lib/service/oauth/store/apps.js'
import {
  addDeviceGrant,
  decideGrant,
  type DeviceGrant,
  grantOfDeviceCode,
  grantOfUserCode,
  recordPoll,
  removeOldGrants,
} from '#lib/service/oauth/store/grants.js'
import {issueToken, type TokenAnswer} from '#lib/service/oauth/tokens/mint-token.js'
import {isVerified} from '#lib/service/oauth/tokens/pkce.js'
import {randomText} from '#lib/service/oauth/tokens/secrets.js'
import {scopeNamesOf} from '#lib/service/oauth/tokens/token.js'
import type {Store} from '#lib/service/store/index.js'
import {defaultUser} from '#lib/service/store/seeded.js'
import {ensureUser, userById} from '#lib/service/store/users.js'

/**
 * The steps of the device flow and the web flow, up to the token of an app. Their requests and
 * responses are in `../endpoints` and `../pages`.
 */

/** Lifetime of device code and user code in seconds (spec: authorization.md, Limits). */
const DEVICE_CODE_LIFETIME = 900

/** The initial interval between polls in seconds, and the increase after each early poll. */
const INTERVAL = 5

/** Letters and digits that are hard to confuse and, without vowels, form no words. */
const USER_CODE_ALPHABET = 'BCDFGHJKMPQRTVWXY346789'

/**
 * Starts the device flow of an app. Returns the fields of the response except the URL of the page,
 * times in seconds. `scopes` keep the spelling of the request.
 */
export function requestDeviceCodes(
  store: Store,
  {
    app,
    scopes,
    codeChallenge,
    pollInterval = INTERVAL,
    approval,
  }: {
    readonly app: App
    readonly scopes: readonly string[]
    readonly codeChallenge?: string
    /** Seconds. */
    readonly pollInterval?: number
    readonly approval?: Approval
  },
  now: number,
) {
  const deviceCode = store.random(20).toString('hex')
  return store.write(() => {
    removeOldGrants(store, now)
    const userCode = freeUserCode(store)
    addDeviceGrant(
      store,
      {deviceCode, userCode},
      {
        client_id: app.client_id,
        scopes: scopes.join(' '),
        interval: pollInterval,
        expires_at: now + DEVICE_CODE_LIFETIME * 1000,
        code_challenge: codeChallenge ?? null,
      },
    )
    decideAtOnce(store, userCode, approval, now)
    return {
      device_code: deviceCode,
      user_code: formatUserCode(userCode),
      expires_in: DEVICE_CODE_LIFETIME,
      interval: pollInterval,
    }
  })
}

/** Decides a new code if no person has to. */
function decideAtOnce(
  store: Store,
  userCode: string,
  approval: Approval | undefined,
  now: number,
): void {
  if (approval === undefined || approval === 'never') return
  const isApproved = approval !== 'deny'
  const user = isApproved ? ensureUser(store, approval.user, now) : defaultUser(store, now)
  const state = isApproved ? 'authorized' : 'denied'
  decideGrant(store, grantOfUserCode(store, userCode)!, {state, user}, now)
}

function freeUserCode(store: Store): string {
  const code = randomText(store.random, 8, USER_CODE_ALPHABET)
  return grantOfUserCode(store, code) ? freeUserCode(store) : code
}

/** Returns the grant of a user code as typed by a person, ignoring case, hyphens and spaces. */
export function grantByUserCode(store: Store, userCode: string): DeviceGrant | undefined {
  return grantOfUserCode(store, plainUserCode(userCode))
}

/** A user code without the spaces and hyphens that people type. */
function plainUserCode(typed: string): string {
  return typed.replace(/[\s\p{Pd}]/gu, '').toUpperCase()
}

/** A user code as devices show it, in two groups. */
export function formatUserCode(typed: string): string {
  const plain = plainUserCode(typed)
  return `${plain.slice(0, 4)}-${plain.slice(4)}`
}

/** Returns why a code can no longer be approved or denied; `undefined` if it still can. */
export function codeProblem(
  grant: DeviceGrant | undefined,
  now: number,
): 'unknown' | 'used' | 'expired' | undefined {
  if (!grant) return 'unknown'
  if (grant.state !== 'pending') return 'used'
  return now >= grant.expires_at ? 'expired' : undefined
}

/**
 * Returns the error for a poll of a grant; `undefined` if the poll gets its token. A poll is early if
 * the interval since the previous poll has not passed; the first poll is never early (reference:
 * oauth.md, section 3).
 */
export function pollProblem(grant: DeviceGrant, now: number): OauthError | undefined {
  const early = grant.polled_at !== null && now - grant.polled_at < grant.interval * 1000
  if (grant.state === 'used') return {error: 'incorrect_device_code'}
  if (now >= grant.expires_at) return {error: 'expired_token'}
  if (early) return {error: 'slow_down', interval: grant.interval + INTERVAL}
  if (grant.state === 'denied') return {error: 'access_denied'}
  if (grant.state === 'pending') return {error: 'authorization_pending'}
  return undefined
}

/** Records a poll, and returns the token or the error. */
export function pollDevice(
  store: Store,
  app: App,
  parameters: ReadonlyMap<string, string>,
  now: number,
): TokenAnswer | OauthError {
  return store.write(() => {
    const grant = grantOfDeviceCode(store, app.client_id, parameters.get('device_code') ?? '')
    if (!grant || !isVerified(grant, parameters)) return {error: 'incorrect_device_code'}
    const problem = pollProblem(grant, now)
    const interval = problem?.interval ?? grant.interval
    recordPoll(store, {id: grant.id, interval, state: problem ? grant.state : 'used'}, now)
    if (problem) return problem
    const user = userById(store, grant.user_id!)!
    return issueToken(store, {app, user, scopes: scopeNamesOf(grant), byDevice: true}, now)
  })
}
