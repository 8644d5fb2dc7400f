import type {Store} from '../store/index.js'
import {type User, userById} from '../store/users.js'
import type {App} from './apps.js'
import type {OauthError} from './errors.js'
import {randomText, secretHash} from './secrets.js'
import {mintToken, scopeNamesOf} from './tokens.js'

/** How long a pair of codes is good, in seconds (spec: authorization.md, Limits). */
const DEVICE_CODE_LIFETIME = 900

/** The least seconds between two polls, at first and added by each poll that comes too early. */
const INTERVAL = 5

/** Grants that are past their end are remembered for a day, so that late polls learn why. */
const MEMORY = 24 * 60 * 60 * 1000

/** Letters and digits that cannot be taken for one another, and that make no words. */
const USER_CODE_ALPHABET = 'BCDFGHJKMPQRTVWXY346789'

/** One pair of device code and user code. */
export interface DeviceGrant {
  readonly id: number
  readonly client_id: string
  readonly scopes: string
  readonly state: 'pending' | 'authorized' | 'denied' | 'used'
  readonly user_id: number | null
  /** Seconds. */
  readonly interval: number
  readonly polled_at: number | null
  readonly expires_at: number
}

/** What the device code endpoint answers, but for the address of the page. */
interface DeviceCodes {
  readonly device_code: string
  readonly user_code: string
  readonly expires_in: number
  readonly interval: number
}

/** What the token endpoint answers when all is well; scopes stand joined by commas. */
export type TokenAnswer = {
  readonly access_token: string
  readonly token_type: 'bearer'
  readonly scope: string
}

/** Starts the device flow of an app; `scopes` stand in the spelling of its request. */
export function requestDeviceCodes(
  store: Store,
  app: App,
  scopes: readonly string[],
  now: number,
): DeviceCodes {
  const deviceCode = store.random(20).toString('hex')
  return store.write(() => {
    store.run('DELETE FROM device_grants WHERE expires_at < :old', {old: now - MEMORY})
    const userCode = freeUserCode(store)
    store.run(
      `INSERT INTO device_grants (device_hash, user_hash, client_id, scopes, interval, expires_at)
       VALUES (:deviceHash, :userHash, :clientId, :scopes, :interval, :expiresAt)`,
      {
        deviceHash: secretHash(deviceCode),
        userHash: secretHash(userCode),
        clientId: app.client_id,
        scopes: scopes.join(' '),
        interval: INTERVAL,
        expiresAt: now + DEVICE_CODE_LIFETIME * 1000,
      },
    )
    return {
      device_code: deviceCode,
      user_code: `${userCode.slice(0, 4)}-${userCode.slice(4)}`,
      expires_in: DEVICE_CODE_LIFETIME,
      interval: INTERVAL,
    }
  })
}

function freeUserCode(store: Store): string {
  const code = randomText(store.random, 8, USER_CODE_ALPHABET)
  return grantByUserCode(store, code) ? freeUserCode(store) : code
}

/** The grant behind a user code as a person types it: letter case, hyphens and spaces do not matter. */
export function grantByUserCode(store: Store, userCode: string): DeviceGrant | undefined {
  const code = userCode.replace(/[\s\p{Pd}]/gu, '').toUpperCase()
  return store.get<DeviceGrant>('SELECT * FROM device_grants WHERE user_hash = :hash', {
    hash: secretHash(code),
  })
}

/**
 * What a poll of a grant is told; `undefined` when it gets its token. A poll is early within the
 * interval after the one before it; the first is never early (reference: oauth.md, section 3).
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

/** Answers a poll with a token or with the reason why there is none (yet), and notes it. */
export function pollDevice(
  store: Store,
  app: App,
  deviceCode: string,
  now: number,
): TokenAnswer | OauthError {
  return store.write(() => {
    const grant = store.get<DeviceGrant>(
      'SELECT * FROM device_grants WHERE device_hash = :hash AND client_id = :clientId',
      {hash: secretHash(deviceCode), clientId: app.client_id},
    )
    if (!grant) return {error: 'incorrect_device_code'}
    const problem = pollProblem(grant, now)
    store.run(
      'UPDATE device_grants SET polled_at = :now, interval = :interval, state = :state WHERE id = :id',
      {
        id: grant.id,
        now,
        interval: problem?.interval ?? grant.interval,
        state: problem ? grant.state : 'used',
      },
    )
    if (problem) return problem
    const user = userById(store, grant.user_id!)!
    return issueToken(store, app, user, scopeNamesOf(grant), now)
  })
}

/** Mints a token for an app and puts it into the words of the token endpoint. */
export function issueToken(
  store: Store,
  app: App,
  user: User,
  scopes: readonly string[],
  now: number,
): TokenAnswer {
  const token = mintToken(store, {user, clientId: app.client_id, scopes}, now)
  return {access_token: token, token_type: 'bearer', scope: scopes.join(',')}
}

/** A user's word on a grant. Tells whether it was still open: not yet decided and not expired. */
export function decideGrant(
  store: Store,
  grant: DeviceGrant,
  decision: {readonly state: 'authorized' | 'denied'; readonly user: User},
  now: number,
): boolean {
  const {changes} = store.run(
    `UPDATE device_grants SET state = :state, user_id = :userId
     WHERE id = :id AND state = 'pending' AND expires_at > :now`,
    {id: grant.id, state: decision.state, userId: decision.user.id, now},
  )
  return changes > 0
}
