import {groupBy} from '#lib/platform/values.js'
import {deleteRows, insertRow, updateRows} from '#lib/service/store/database/rows.js'
import {saveFile} from '#lib/service/store/files/files.js'
import type {Store} from '#lib/service/store/index.js'
import {mailDomain, type User} from '#lib/service/store/users.js'
import {hasRole, type Role, ROLES} from './capabilities.js'

/** The type of a principal: the recipient of access. */
export type PrincipalType = 'user' | 'group' | 'domain' | 'anyone'

/** Access to an item from one permission, on the item itself or on a folder above. */
export interface Grant {
  readonly role: Role
  /** The ID of the item with the permission. */
  readonly from: string
  /** Whether `from` is above the item. */
  readonly inherited: boolean
  /** Unix ms; `null` if it does not expire. */
  readonly expiresAt: number | null
}

/** The combined access of a principal to an item, from all grants. */
export interface EffectivePermission {
  /** The permission ID of the principal. */
  readonly id: string
  readonly type: PrincipalType
  /** The strongest role of all grants. `expiresAt` is the expiration of that grant. */
  readonly role: Role
  readonly expiresAt: number | null
  readonly email: string | null
  readonly domain: string | null
  /** The name of a local account; `null` for other principals. */
  readonly name: string | null
  readonly withLink: boolean
  readonly pendingOwner: boolean
  /** The ID of the item's shared drive; `null` in My Drive. */
  readonly driveId: string | null
  /** From the item itself upward. */
  readonly grants: readonly Grant[]
}

interface GrantRow {
  readonly item_id: string
  readonly parent_id: string | null
  readonly inherits: number
  readonly drive_id: string | null
  /** `null` in the owner row of an item without an owner. */
  readonly id: string | null
  readonly type: PrincipalType
  readonly role: Role
  readonly email: string | null
  readonly domain: string | null
  readonly name: string | null
  readonly with_link: number
  readonly pending_owner: number
  readonly expires_at: number | null
}

/** The valid permissions on an item, direct and inherited, one per principal: strongest role first, the owner last (reference: protocols.md, section 12). */
export function effectivePermissions(
  store: Store,
  fileId: string,
  now: number,
): readonly EffectivePermission[] {
  return effectivePermissionsOf(store, [fileId], now).get(fileId) ?? []
}

/** Like `effectivePermissions`, for several items, by ID. Reads common folders above them once. */
export function effectivePermissionsOf(
  store: Store,
  fileIds: readonly string[],
  now: number,
): ReadonlyMap<string, readonly EffectivePermission[]> {
  // CROSS keeps SQLite from scanning all permissions.
  const rows = store.all<GrantRow>(
    `WITH RECURSIVE up(id, parent_id, owner_id, drive_id, inherits) AS (
       SELECT id, parent_id, owner_id, drive_id, inherits FROM files
       WHERE id IN (SELECT value FROM json_each(:ids))
       UNION
       SELECT f.id, f.parent_id, f.owner_id, f.drive_id, f.inherits
       FROM up CROSS JOIN files f ON f.id = up.parent_id WHERE up.inherits = 1
     )
     SELECT up.id AS item_id, up.parent_id, up.inherits, up.drive_id, u.permission_id AS id,
       'user' AS type, 'owner' AS role, u.email, NULL AS domain, u.name,
       0 AS with_link, 0 AS pending_owner, NULL AS expires_at
     FROM up LEFT JOIN users u ON u.id = up.owner_id
     UNION ALL
     SELECT up.id, up.parent_id, up.inherits, up.drive_id, p.id,
       p.type, iif(p.commenter, 'commenter', p.role), p.email, p.domain, u.name,
       p.with_link, p.pending_owner, p.expires_at
     FROM up CROSS JOIN permissions p ON p.file_id = up.id
     LEFT JOIN users u ON u.permission_id = p.id
     WHERE p.expires_at IS NULL OR p.expires_at > :now`,
    {ids: JSON.stringify(fileIds), now},
  )
  const items = groupBy(rows, row => row.item_id)
  return new Map(fileIds.map(id => [id, ofItem(items, id)]))
}

/** A row with its role for an item `depth` levels below. */
interface DeepGrant {
  readonly row: GrantRow
  readonly depth: number
  readonly role: Role
}

function ofItem(
  items: ReadonlyMap<string, readonly GrantRow[]>,
  fileId: string,
): EffectivePermission[] {
  const principals = new Map<string, DeepGrant[]>()
  let rows = items.get(fileId)
  for (let depth = 0; rows; depth++) {
    for (const row of rows) {
      if (row.id === null) continue
      const role = row.role === 'owner' && depth > 0 ? 'writer' : row.role
      const known = principals.get(row.id)
      if (known) known.push({row, depth, role})
      else principals.set(row.id, [{row, depth, role}])
    }
    const [{inherits, parent_id}] = rows as [GrantRow]
    rows = inherits === 1 && parent_id !== null ? items.get(parent_id) : undefined
  }
  return [...principals.values()]
    .map(ofPrincipal)
    .sort((a, b) => positionOf(a.role) - positionOf(b.role) || (a.id < b.id ? -1 : 1))
}

function ofPrincipal(grants: readonly DeepGrant[]): EffectivePermission {
  const {row: nearest, depth} = grants[0]!
  const strongest = grants.reduce((best, each) => (hasRole(best.role, each.role) ? best : each))
  return {
    id: nearest.id!,
    type: nearest.type,
    role: strongest.role,
    expiresAt: strongest.row.expires_at,
    email: nearest.email,
    domain: nearest.domain,
    name: nearest.name,
    withLink: nearest.with_link === 1,
    pendingOwner: depth === 0 && nearest.pending_owner === 1,
    driveId: nearest.drive_id,
    grants: grants.map(each => ({
      role: each.role,
      from: each.row.item_id,
      inherited: each.depth > 0,
      expiresAt: each.row.expires_at,
    })),
  }
}

/** The permission that gives a user access: the user's own, or else one for everyone or the user's domain. */
export function permissionAmong(
  permissions: readonly EffectivePermission[],
  user: User,
): EffectivePermission | undefined {
  return permissions.find(({id}) => id === user.permission_id) ?? permissions.find(opensTo(user))
}

/** The strongest role of a user in these permissions, the same as `strongestRole`. */
export function roleAmong(
  permissions: readonly EffectivePermission[],
  user: User,
): Role | undefined {
  const roles = permissions.filter(opensTo(user)).map(({role}) => role)
  return ROLES.find(role => roles.includes(role))
}

function opensTo(user: User): (permission: EffectivePermission) => boolean {
  const domain = mailDomain(user)
  return permission =>
    permission.id === user.permission_id ||
    permission.type === 'anyone' ||
    (permission.type === 'domain' && permission.domain === domain)
}

/** The grant on the item itself; `undefined` if all grants are inherited. */
export function ownGrant({grants}: EffectivePermission): Grant | undefined {
  return grants.find(grant => !grant.inherited)
}

/** The sort position of a role. The owner comes last: clients expect the other permissions first. */
function positionOf(role: Role): number {
  return role === 'owner' ? ROLES.length : ROLES.indexOf(role)
}

/** A permission on an item. The owner has none, but is in `files.owner_id`. */
export interface NewPermission {
  readonly id: string
  readonly type: PrincipalType
  readonly role: Exclude<Role, 'owner'>
  readonly email: string | null
  readonly domain: string | null
  readonly withLink: boolean
  /** Unix ms. */
  readonly expiresAt: number | null
  readonly pendingOwner: boolean
}

/** Stores a permission on an item and replaces that of the same principal. */
export function savePermission(store: Store, fileId: string, permission: NewPermission): void {
  const {id, type, role, email, domain} = permission
  // An item has only one permission for everyone, with or without `withLink`.
  if (type === 'anyone') deleteRows(store, 'permissions', {file_id: fileId, type})
  const row = {
    file_id: fileId,
    id,
    type,
    role: role === 'commenter' ? 'reader' : role,
    commenter: role === 'commenter',
    email,
    domain,
    with_link: permission.withLink,
    expires_at: permission.expiresAt,
    pending_owner: permission.pendingOwner,
  }
  insertRow(store, 'permissions', row, {replace: true})
}

export function removePermission(store: Store, fileId: string, id: string): void {
  deleteRows(store, 'permissions', {file_id: fileId, id})
}

/** Makes `newOwner` the owner of a My Drive item. The former owner becomes a writer. */
export function transferOwnership(store: Store, fileId: string, owner: User, newOwner: User): void {
  removePermission(store, fileId, newOwner.permission_id)
  recordUnshared(store, fileId, newOwner)
  updateRows(store, 'permissions', {file_id: fileId}, {pending_owner: false})
  saveFile(store, fileId, {owner_id: newOwner.id})
  savePermission(store, fileId, userPermission(owner, 'writer'))
}

/** The permission of an account with this role, without expiration. */
export function userPermission(
  {permission_id: id, email}: User,
  role: NewPermission['role'],
): NewPermission {
  const rest = {domain: null, withLink: false, expiresAt: null, pendingOwner: false}
  return {id, type: 'user', role, email, ...rest}
}

/** Records who shared an item with a user and when, unless it is already shared. */
export function recordShared(
  store: Store,
  fileId: string,
  user: User,
  sharer: User,
  now: number,
): void {
  store.run(
    `INSERT INTO user_files (user_id, file_id, shared_at, sharer_id)
     VALUES (:userId, :fileId, :now, :sharerId)
     ON CONFLICT (user_id, file_id) DO UPDATE SET
       sharer_id = iif(shared_at IS NULL, excluded.sharer_id, sharer_id),
       shared_at = coalesce(shared_at, excluded.shared_at)`,
    {userId: user.id, fileId, now, sharerId: sharer.id},
  )
}

/** Removes the record that an item was shared with a user. */
export function recordUnshared(store: Store, fileId: string, user: User): void {
  const key = {user_id: user.id, file_id: fileId}
  updateRows(store, 'user_files', key, {shared_at: null, sharer_id: null})
}
