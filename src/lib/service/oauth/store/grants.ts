import {secretHash} from '#lib/service/oauth/tokens/secrets.js'
import type {Store} from '#lib/service/store/index.js'
import type {User} from '#lib/service/store/users.js'

/** Time in ms for which expired grants are kept, so that late polls get the error expired_token. */
const RETENTION = 24 * 60 * 60 * 1000

/** A pair of device code and user code. */
export interface DeviceGrant {
  readonly id: number
  readonly client_id: string
  readonly scopes: string
  readonly state: 'pending' | 'authorized' | 'denied' | 'used'
  readonly user_id: number | null
  /** Seconds between polls. */
  readonly interval: number
  readonly polled_at: number | null
  readonly expires_at: number
  /** The PKCE challenge; `null` if the request had none. */
  readonly code_challenge: string | null
}

type NewDeviceGrant = Pick<
  DeviceGrant,
  'client_id' | 'scopes' | 'interval' | 'expires_at' | 'code_challenge'
>

/** Stores the hashes of a new pair of codes. */
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

/** Deletes grants that expired more than a day ago. */
export function removeOldGrants(store: Store, now: number): void {
  store.run('DELETE FROM device_grants WHERE expires_at < :old', {old: now - RETENTION})
}

/** Returns the grant of a user code in normal form: upper case, no hyphen. */
export function grantOfUserCode(store: Store, userCode: string): DeviceGrant | undefined {
  return store.get<DeviceGrant>('SELECT * FROM device_grants WHERE user_hash = :hash', {
    hash: secretHash(userCode),
  })
}

/** Returns the grant of a device code issued to this app. */
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

/** Records a poll of a grant, with its new interval and state. */
export function recordPoll(
  store: Store,
  {id, interval, state}: Pick<DeviceGrant, 'id' | 'interval' | 'state'>,
  now: number,
): void {
  store.run(
    'UPDATE device_grants SET polled_at = :now, interval = :interval, state = :state WHERE id = :id',
    {id, now, interval, state},
  )
}

/** Stores a user's decision on a grant. Returns false if the grant was already decided or has expired. */
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

/** The stored data of an authorization code of the web flow. */
export interface CodeRow {
  readonly hash: string
  readonly client_id: string
  readonly user_id: number
  /** Separated by spaces, in either spelling. */
  readonly scopes: string
  /** From the request; `null` if the request had none. */
  readonly redirect_uri: string | null
  readonly expires_at: number
  /** The PKCE challenge; `null` if the request had none. */
  readonly code_challenge: string | null
}

/** Stores the hash of a new code, and deletes expired codes. */
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

/** Returns the data of an unexpired code issued to this app. */
export function findGrantCode(
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
