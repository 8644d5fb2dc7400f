import {findRow, insertRow} from './database/rows.js'
import type {Store} from './index.js'
import {allUsers, DEFAULT_LOGIN, ensureUser, type User, userByLogin} from './users.js'

/** Data directories that were made from a seed. */

/** The seed that a data directory was made from. */
export interface SeedRow {
  /** SHA-256 of the seed and the local files that it names. */
  readonly digest: string
  /** Its path; `null` for a seed that was not in a file. */
  readonly file: string | null
}

/** The seed that the data was made from; `undefined` for other data. */
export function seedRow(store: Pick<Store, 'get'>): SeedRow | undefined {
  return findRow(store, 'seed', {key: 1})
}

export function saveSeedRow(store: Store, {digest, file}: SeedRow): void {
  insertRow(store, 'seed', {key: 1, digest, file})
}

/** Whether a service was ever started on this data. */
export function hasUsers(store: Store): boolean {
  return allUsers(store).length > 0
}

/**
 * The user for programs that name none: `local`, who is created if missing, or the oldest user of data that was
 * made from a seed without `local`.
 */
export function defaultUser(store: Store, now: number): User {
  const known = userByLogin(store, DEFAULT_LOGIN)
  const oldest = known ?? (seedRow(store) ? allUsers(store)[0] : undefined)
  return oldest ?? ensureUser(store, DEFAULT_LOGIN, now)
}
