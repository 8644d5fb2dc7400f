import {hash} from 'node:crypto'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {appById} from '#lib/service/oauth/store/apps.js'
import {
  createOrganization,
  organizationById,
  organizationByName,
} from '#lib/service/oauth/store/organizations.js'
import {deleteRows, findRow, insertRow, updateRows} from '#lib/service/store/database/rows.js'
import {insertFileRow} from '#lib/service/store/files/files.js'
import {
  allUsers,
  createUser,
  EMAIL_DOMAIN,
  type User,
  userByEmail,
  userById,
  userByLogin,
} from '#lib/service/store/users.js'
import type {SeedApp, SeedOrganization, SeedUser} from './seed.js'
import type {SeedRun} from './seed-run.js'
import {type SeedPath, SeedProblem} from './validate.js'

/** Writes users, apps and organizations of a seed. All functions throw `SeedProblem`. */

/** Creates a user, or changes the existing one with this login. */
export function applyUser(run: SeedRun, user: SeedUser, path: SeedPath): User {
  const {store, now} = run
  const {login, id, rootId} = user
  const known = userByLogin(store, login)
  const email = user.email ?? known?.email ?? `${login.toLowerCase()}@${EMAIL_DOMAIN}`
  const other = userByEmail(store, email)
  if (other && other.id !== known?.id) {
    throw new SeedProblem([...path, 'email'], `is already used by user ${other.login}: ${email}`)
  }
  if (known && email !== known.email) {
    throw new SeedProblem(
      [...path, 'email'],
      `must be ${known.email}, the email address of the existing user ${login}`,
    )
  }
  const holder = id === undefined ? undefined : userById(store, id)
  if (holder && holder.id !== known?.id) {
    throw new SeedProblem([...path, 'id'], `is already used by user ${holder.login}: ${id}`)
  }
  if (known && (id ?? known.id) !== known.id) {
    throw new SeedProblem(
      [...path, 'id'],
      `must be ${known.id}, the ID of the existing user ${login}`,
    )
  }
  if (id !== undefined && findRow(store, 'deleted_users', {id})) {
    throw new SeedProblem([...path, 'id'], `must not be ${id}: it belonged to a deleted user`)
  }
  if (rootId !== undefined && rootId !== known?.root_id) run.claim(rootId, [...path, 'rootId'])
  const created = known ?? createUser(store, {login, email, id, rootId}, now)
  if (rootId !== undefined && rootId !== created.root_id) {
    replaceRoot(run, created, rootId, [...path, 'rootId'])
  }
  const createdAt = run.time(user.createdDate, [...path, 'createdDate'])
  updateRows(
    store,
    'users',
    {login},
    {
      name: user.name,
      email_verified: user.emailVerified,
      suspended: user.suspended,
      created_at: createdAt,
      updated_at:
        run.time(user.updatedDate, [...path, 'updatedDate']) ?? createdAt ?? created.updated_at,
    },
  )
  if (createdAt !== undefined) {
    const root = {id: rootId ?? created.root_id}
    updateRows(store, 'files', root, {created_at: createdAt, modified_at: createdAt})
  }
  return userByLogin(store, login)!
}

/** Gives an empty My Drive another ID. */
function replaceRoot(run: SeedRun, {id, root_id: old}: User, fresh: string, path: SeedPath): void {
  const {store, now} = run
  if (findRow(store, 'files', {parent_id: old})) {
    throw new SeedProblem(
      path,
      `must be ${old}, the ID of the existing My Drive, which is not empty`,
    )
  }
  const times = {created_at: now, modified_at: now}
  insertFileRow(store, {
    id: fresh,
    owner_id: id,
    title: 'My Drive',
    mime_type: FOLDER_TYPE,
    ...times,
  })
  updateRows(store, 'users', {id}, {root_id: fresh})
  deleteRows(store, 'files', {id: old})
}

/** Creates an app, or replaces the settings of the existing one with this client ID. */
export function applyApp(run: SeedRun, app: SeedApp, path: SeedPath): void {
  const {store, now} = run
  const {clientId, clientSecret, clientSecretHash, expiresIn, reuseInterval = 0} = app
  if (clientSecret !== undefined && clientSecretHash !== undefined) {
    throw new SeedProblem([...path, 'clientSecretHash'], 'cannot be combined with clientSecret')
  }
  const secret = clientSecret === undefined ? undefined : hash('sha256', clientSecret)
  const row = {
    name: app.name,
    secret_hash: secret ?? clientSecretHash ?? null,
    home_url: app.homeUrl ?? null,
    callback_url: app.callbackUrl ?? null,
    device_flow: app.deviceFlow ?? false,
    suspended: app.suspended ?? false,
    token_lifetime: expiresIn === undefined ? null : expiresIn * 1000,
    reuse_interval: reuseInterval * 1000,
    facts: JSON.stringify(app.facts ?? {}),
    created_at: run.time(app.createdDate, [...path, 'createdDate']) ?? now,
  }
  if (appById(store, clientId)) updateRows(store, 'apps', {client_id: clientId}, row)
  else insertRow(store, 'apps', {client_id: clientId, ...row})
}

/** Creates an organization. `driveOf` resolves IDs and names of shared drives. */
export function applyOrganization(
  run: SeedRun,
  {name, id, sso = false, drives = [], createdDate}: SeedOrganization,
  path: SeedPath,
  driveOf: (name: string, path: SeedPath) => string,
): void {
  const {store, now} = run
  if (organizationByName(store, name)) {
    throw new SeedProblem([...path, 'name'], `belongs to an existing organization: ${name}`)
  }
  if (id !== undefined && organizationById(store, id)) {
    throw new SeedProblem([...path, 'id'], `must not be ${id}: it belongs to another organization`)
  }
  const ids = drives.map((drive, index) => driveOf(drive, [...path, 'drives', index]))
  const at = run.time(createdDate, [...path, 'createdDate']) ?? now
  if (id !== undefined) insertRow(store, 'organizations', {id, name, sso, created_at: at})
  const created = id ?? createOrganization(store, {name, sso, drives: []}, at).id
  for (const drive of ids) {
    const row = {drive_id: drive, organization_id: created}
    insertRow(store, 'organization_drives', row, {replace: true})
  }
}

/** The user with this login; `undefined` for `null`, a deleted user. */
export function formerUser(
  run: SeedRun,
  login: string | null | undefined,
  path: SeedPath,
  fallback: User | undefined,
): User | undefined {
  if (login === undefined) return fallback
  return login === null ? undefined : requireUser(run, login, path)
}

/** The user with this login. Throws `SeedProblem`. */
export function requireUser({store}: SeedRun, login: string, path: SeedPath): User {
  const user = userByLogin(store, login)
  if (user) return user
  const logins = allUsers(store).map(each => each.login)
  throw new SeedProblem(
    path,
    `is an unknown user: "${login}". Users: ${logins.slice(0, 10).join(', ')}`,
  )
}
