import {secretHash} from '#lib/service/oauth/tokens/secrets.js'
import type {Store} from '#lib/service/store/index.js'
import type {User} from '#lib/service/store/users.js'

/** Grants that are past their end are remembered for a day (ms), so that late polls learn why. */
const MEMORY = 24 * 60 * 60 * 1000

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
  /** Of PKCE; `null` where the request had none. */
  readonly code_challenge: string | null
}

type NewDeviceGrant = Pick<
  DeviceGrant,
  'client_id' | 'scopes' | 'interval' | 'expires_at' | 'code_challenge'
>

/** Keeps a new pair of codes, as hashes. */
export function addDeviceGrant(
  store: Store,
  {deviceCode, userCode}: {deviceCode: string; userCode: string},
  grant: NewDeviceGrant,
): void {
  store.run(
    `INSERT INTO device_grants
       (device_hash, user_hash, client_id, scopes, interval, expires_at, code_challenge)
     VALUES (:deviceHash, :userHash, :client_id, :scopes, :interval, :expires_at, :code_challenge)`,
    {...grant, deviceHash: secretHash(deviceCode), userHash: secretHash(userCode)},
  )
}

/** Forgets the grants that nobody asks about any more. */
export function removeOldGrants(store: Store, now: number): void {
  store.run('DELETE FROM device_grants WHERE expires_at < :old', {old: now - MEMORY})
}

/** The grant of a user code in its normal spelling. */
export function grantOfUserCode(store: Store, userCode: string): DeviceGrant | undefined {
  return store.get<DeviceGrant>('SELECT * FROM device_grants WHERE user_hash = :hash', {
    hash: secretHash(userCode),
  })
}

/** The grant of a device code that was given to this app. */
export function grantOfDeviceCode(
  store: Store,
  clientId: string,
  deviceCode: string,
): DeviceGrant | undefined {
  return store.get<DeviceGrant>(
    'SELECT * FROM device_grants WHERE device_hash = :hash AND client_id = :clientId',
    {hash: secretHash(deviceCode), clientId},
  )
}

/** Notes a poll of a grant, with the interval and the state it has from now on. */
export function notePoll(
  store: Store,
  {id, interval, state}: Pick<DeviceGrant, 'id' | 'interval' | 'state'>,
  now: number,
): void {
  store.run(
    'UPDATE device_grants SET polled_at = :now, interval = :interval, state = :state WHERE id = :id',
    {id, now, interval, state},
  )
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

/** What stands behind a temporary code of the web flow. */
export interface CodeRow {
  readonly hash: string
  readonly client_id: string
  readonly user_id: number
  /** Joined by a space, in either spelling. */
  readonly scopes: string
  /** As the request named it; `null` when it named none. */
  readonly redirect_uri: string | null
  readonly expires_at: number
  /** Of PKCE; `null` where the request had none. */
  readonly code_challenge: string | null
}

/** Keeps a new code, as a hash, and forgets those that are past their end. */
export function addCode(
  store: Store,
  code: string,
  grant: Omit<CodeRow, 'hash'>,
  now: number,
): void {
  store.write(() => {
    store.run('DELETE FROM codes WHERE expires_at <= :now', {now})
    store.run(
      `INSERT INTO codes (hash, client_id, user_id, scopes, redirect_uri, expires_at, code_challenge)
       VALUES (:hash, :client_id, :user_id, :scopes, :redirect_uri, :expires_at, :code_challenge)`,
      {...grant, hash: secretHash(code)},
    )
  })
}

/** What stands behind a code that was made for this app, while it is good. */
export function findCode(
  store: Store,
  clientId: string,
  code: string,
  now: number,
): CodeRow | undefined {
  return store.get<CodeRow>(
    'SELECT * FROM codes WHERE hash = :hash AND client_id = :clientId AND expires_at > :now',
    {hash: secretHash(code), clientId, now},
  )
}

export function removeCode(store: Store, {hash}: CodeRow): void {
  store.run('DELETE FROM codes WHERE hash = :hash', {hash})
}
