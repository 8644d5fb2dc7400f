import {FOLDER_TYPE} from '../../api/wire.js'
import {newDriveId, permissionIdFor} from './ids.js'
import type {Store} from './index.js'
import {searchWords, titleKey} from './files/words.js'

/** An account of the local service. */
export interface User {
  readonly id: number
  /** The account's short name, unique whatever its letter case. */
  readonly login: string
  readonly name: string
  readonly email: string
  /** The account's ID in permissions. */
  readonly permission_id: string
  /** The folder behind the alias `root`. */
  readonly root_id: string
  /** Without it no app gets a token in the web flow. */
  readonly email_verified: 0 | 1
  /** Neither the account nor its tokens can be used. */
  readonly suspended: 0 | 1
  readonly created_at: number
  readonly updated_at: number
}

/** The account of a fresh data directory. */
export const DEFAULT_LOGIN = 'local'

/** Local accounts have addresses under this name, which is reserved for examples. */
export const EMAIL_DOMAIN = 'example.com'

export function userById(store: Store, id: number): User | undefined {
  return store.get<User>('SELECT * FROM users WHERE id = :id', {id})
}

export function userByLogin(store: Store, login: string): User | undefined {
  return store.get<User>('SELECT * FROM users WHERE login = :login', {login})
}

export function userByEmail(store: Store, email: string): User | undefined {
  return store.get<User>('SELECT * FROM users WHERE email = :email', {email})
}

export function userByPermissionId(store: Store, id: string): User | undefined {
  return store.get<User>('SELECT * FROM users WHERE permission_id = :id', {id})
}

/** The account of this name, made with its My Drive where there is none yet. */
export function ensureUser(store: Store, login: string, now: number): User {
  return userByLogin(store, login) ?? createUser(store, {login}, now)
}

/** Makes an account and its My Drive. The address follows from the login unless one is given. */
export function createUser(
  store: Store,
  {
    login,
    name = login,
    email,
    emailVerified = true,
  }: {login: string; name?: string; email?: string; emailVerified?: boolean},
  now: number,
): User {
  const address = email ?? `${login.toLowerCase()}@${EMAIL_DOMAIN}`
  const rootId = newDriveId(store.random)
  return store.write(() => {
    const {lastId} = store.run(
      `INSERT INTO users
         (id, login, name, email, permission_id, root_id, email_verified, created_at, updated_at)
       VALUES (
         (SELECT coalesce(max(id), 0) + 1 FROM
           (SELECT id FROM users UNION ALL SELECT id FROM deleted_users)),
         :login, :name, :address, :permissionId, :rootId, :emailVerified, :now, :now)`,
      {
        login,
        name,
        address,
        permissionId: permissionIdFor(address),
        rootId,
        emailVerified: Number(emailVerified),
        now,
      },
    )
    store.run(
      `INSERT INTO files (id, owner_id, title, title_key, title_words, mime_type, created_at, modified_at)
       VALUES (:rootId, :userId, :title, :key, :words, :type, :now, :now)`,
      {
        rootId,
        userId: lastId,
        title: ROOT_TITLE,
        key: titleKey(ROOT_TITLE),
        words: searchWords(ROOT_TITLE),
        type: FOLDER_TYPE,
        now,
      },
    )
    // What was shared with the address before there was an account for it.
    store.run(
      `INSERT INTO user_files (user_id, file_id, shared_at)
       SELECT :userId, file_id, :now FROM permissions p
       WHERE id = :permissionId AND file_id NOT IN (SELECT id FROM drives)`,
      {userId: lastId, permissionId: permissionIdFor(address), now},
    )
    return userById(store, lastId)!
  })
}

/** The domain of an account's address, by which permissions name its people. */
export function mailDomain({email}: Pick<User, 'email'>): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase()
}

/** All accounts, the oldest first. */
export function allUsers(store: Store): readonly User[] {
  return store.all<User>('SELECT * FROM users ORDER BY id')
}

/** Blocks an account, or lets it be used again. */
export function suspendUser(store: Store, user: User, suspended: boolean, now: number): void {
  store.run('UPDATE users SET suspended = :suspended, updated_at = :now WHERE id = :id', {
    id: user.id,
    suspended: Number(suspended),
    now,
  })
}

const ROOT_TITLE = 'My Drive'
