import {FOLDER_TYPE} from '#lib/api/wire.js'
import {column, findRow, insertRow, updateRows} from './database/rows.js'
import {insertFileRow} from './files/files.js'
import {newDriveId, permissionIdFor} from './ids.js'
import type {Store} from './index.js'

/** An account of the local service. */
export interface User {
  readonly id: number
  /** The account's short name, unique regardless of case. */
  readonly login: string
  readonly name: string
  readonly email: string
  /** The account's ID in permissions. */
  readonly permission_id: string
  /** The root folder of My Drive, with the alias `root`. */
  readonly root_id: string
  /** Required for tokens of the web flow. */
  readonly email_verified: 0 | 1
  /** A suspended account and its tokens cannot be used. */
  readonly suspended: 0 | 1
  readonly created_at: number
  readonly updated_at: number
}

/** The login of the account in a new data directory. */
export const DEFAULT_LOGIN = 'local'

/** The email domain of local accounts, which is reserved for examples. */
export const EMAIL_DOMAIN = 'example.com'

export function userById(store: Store, id: number): User | undefined {
  return findRow(store, 'users', {id})
}

export function userByLogin(store: Store, login: string): User | undefined {
  return findRow(store, 'users', {login})
}

export function userByEmail(store: Store, email: string): User | undefined {
  return findRow(store, 'users', {email})
}

export function userByPermissionId(store: Store, id: string): User | undefined {
  return findRow(store, 'users', {permission_id: id})
}

/** The account with this login; creates it with its My Drive if it does not exist. */
export function ensureUser(store: Store, login: string, now: number): User {
  return userByLogin(store, login) ?? createUser(store, {login}, now)
}

/** Creates an account with its My Drive. The default email address is derived from the login. */
export function createUser(
  store: Store,
  {
    login,
    name = login,
    email,
    emailVerified = true,
    id: number,
    rootId = newDriveId(store.random),
  }: {
    login: string
    name?: string
    email?: string
    emailVerified?: boolean
    /** Default: the next number. */
    id?: number
    /** The ID of My Drive (default: a new one). */
    rootId?: string
  },
  now: number,
): User {
  const address = email ?? `${login.toLowerCase()}@${EMAIL_DOMAIN}`
  return store.write(() => {
    const [next = 1] = column<number>(
      store,
      `SELECT max(id) + 1 FROM (SELECT 0 AS id UNION ALL SELECT id FROM users
         UNION ALL SELECT id FROM deleted_users)`,
    )
    const id = number ?? next
    insertRow(store, 'users', {
      id,
      login,
      name,
      email: address,
      permission_id: permissionIdFor(address),
      root_id: rootId,
      email_verified: emailVerified,
      created_at: now,
      updated_at: now,
    })
    insertFileRow(store, {
      id: rootId,
      owner_id: id,
      title: 'My Drive',
      mime_type: FOLDER_TYPE,
      created_at: now,
      modified_at: now,
    })
    // Items that were shared with the email address before the account existed.
    store.run(
      `INSERT INTO user_files (user_id, file_id, shared_at)
       SELECT :userId, file_id, :now FROM permissions p
       WHERE id = :permissionId AND file_id NOT IN (SELECT id FROM drives)`,
      {userId: id, permissionId: permissionIdFor(address), now},
    )
    return userById(store, id)!
  })
}

/** The domain of an account's email address, in lower case, as in permissions for domains. */
export function mailDomain({email}: Pick<User, 'email'>): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase()
}

/** All accounts, oldest first. */
export function allUsers(store: Store): readonly User[] {
  return store.all<User>('SELECT * FROM users ORDER BY id')
}

/** Suspends an account, or reactivates it. */
export function suspendUser(store: Store, user: User, suspended: boolean, now: number): void {
  updateRows(store, 'users', {id: user.id}, {suspended, updated_at: now})
}
