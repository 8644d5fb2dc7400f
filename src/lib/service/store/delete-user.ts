import {recordAccessChange} from './changes.js'
import {column, deleteRows, insertRow} from './database/rows.js'
import {drain} from './database/slices.js'
import {HOLDER} from './files/files.js'
import type {Store} from './index.js'
import {deleteDrive, deleteTrees, type RemovalContext} from './remove.js'
import {removePermission} from './sharing/permissions.js'
import {removeSessionsOf} from './upload-sessions.js'
import type {User} from './users.js'

interface NamedDrive {
  readonly id: string
  readonly name: string
}

/** What goes with an account. */
export interface Estate {
  /** Files and folders that the user owns, wherever they are. */
  readonly items: number
  /** Bytes of their contents, all revisions. */
  readonly bytes: number
  /** The shared drives of which nobody else is a member: they go with all that is in them. */
  readonly drives: readonly NamedDrive[]
  /** Those that others are members of, and of which the user is the only organizer: they are in the way. */
  readonly orphans: readonly NamedDrive[]
}

/** What would go with the user, and what is in the way of that. */
export function estateOf(store: Store, user: User, now: number): Estate {
  const {items, bytes} = store.get<{items: number; bytes: number}>(
    `SELECT count(*) AS items, coalesce(sum(quota_bytes), 0) AS bytes FROM files
     WHERE ${HOLDER} = :id AND parent_id IS NOT NULL`,
    {id: user.id},
  )!
  const fates = fatesOf(store, user, now)
  const drivesThat = (fate: Fate['kind']) =>
    fates.filter(({kind}) => kind === fate).map(({drive: {id, name}}) => ({id, name}))
  return {items, bytes, drives: drivesThat('goes'), orphans: drivesThat('orphan')}
}

/**
 * Deletes an account with all that is its own: files, permissions, memberships, tokens, sign-ins,
 * uploads, channels. What others own in its folders goes to their roots, as when a folder is
 * deleted (reference: protocols.md, section 10); what it made or changed for others stays, and no
 * longer names it. All in one transaction, so that it is there as a whole or gone; contents that a
 * kill leaves behind after that have no row. Returns the shared drives that are in the way: where
 * there are any, nothing was done.
 */
export function deleteUser(store: Store, user: User, now: number): readonly NamedDrive[] {
  const later: (() => void)[] = []
  const context: RemovalContext = {
    store,
    now,
    afterCommit: task => void later.push(task),
    inSlices: work => drain(work),
  }
  const orphans = store.write(() => {
    const fates = fatesOf(store, user, now)
    const inTheWay = fates.filter(({kind}) => kind === 'orphan').map(({drive}) => drive)
    if (inTheWay.length === 0) removeAccount(context, user, fates)
    return inTheWay
  })
  for (const task of later) task()
  return orphans
}

interface Fate {
  readonly drive: NamedDrive
  readonly kind: 'goes' | 'orphan' | 'stays'
  /** The ID of whoever counts as its maker from now on, where it stays. */
  readonly heirId?: number
}

/** What becomes of the shared drives that the user is a member of, or made. Addresses without an account count as members. */
function fatesOf(store: Store, user: User, now: number): Fate[] {
  const drives = store.all<NamedDrive & {role: string | null; members: number; organizers: number}>(
    `SELECT d.id, d.name, own.role, count(p.id) AS members,
       count(p.id) FILTER (WHERE p.role = 'organizer' AND p.type = 'user') AS organizers
     FROM drives d
     LEFT JOIN permissions own ON own.file_id = d.id AND own.id = :permissionId
     LEFT JOIN permissions p ON p.file_id = d.id AND p.id <> :permissionId
       AND (p.expires_at IS NULL OR p.expires_at > :now)
     WHERE d.creator_id = :id OR own.id IS NOT NULL
     GROUP BY d.id ORDER BY d.created_at, d.id`,
    {id: user.id, permissionId: user.permission_id, now},
  )
  return drives.map(({role, members, organizers, ...drive}): Fate => {
    const heirId = heirOf(store, drive.id, user)
    // Without any other account nobody could ever be let in again.
    if (heirId === undefined || (role !== null && members === 0)) return {drive, kind: 'goes'}
    if (role === 'organizer' && organizers === 0) return {drive, kind: 'orphan'}
    return {drive, kind: 'stays', heirId}
  })
}

/** The account that is nearest to a shared drive beside the user's: an organizer, else a member, else the oldest. */
function heirOf(store: Store, driveId: string, user: User): number | undefined {
  return store.get<{id: number}>(
    `SELECT u.id FROM users u
     LEFT JOIN permissions p ON p.file_id = :driveId AND p.id = u.permission_id
     WHERE u.id <> :userId
     ORDER BY p.role IS 'organizer' DESC, p.role IS NOT NULL DESC, u.id LIMIT 1`,
    {driveId, userId: user.id},
  )?.id
}

function removeAccount(context: RemovalContext, user: User, fates: readonly Fate[]): void {
  const {store, now, afterCommit} = context
  const {id} = user
  // Nobody is left to be told over its channels.
  deleteRows(store, 'channels', {user_id: id})
  for (const {drive, kind, heirId} of fates) {
    if (kind === 'goes') drain(deleteDrive(context, drive.id))
    else if (heirId !== undefined) handOver(store, drive.id, user, heirId)
  }
  // Top folders come first: with them goes most of what is below.
  const owned = `SELECT id FROM files WHERE ${HOLDER} = :id ORDER BY parent_id IS NOT NULL`
  for (const fileId of column<string>(store, owned, {id})) {
    drain(deleteTrees(context, [fileId]))
  }
  const permitted = 'SELECT file_id FROM permissions WHERE id = :id'
  for (const fileId of column<string>(store, permitted, {id: user.permission_id})) {
    recordAccessChange(context, fileId, ['permissions'], () =>
      removePermission(store, fileId, user.permission_id),
    )
  }
  for (const blobId of removeSessionsOf(store, id)) {
    afterCommit(() => store.content.giveUp(blobId))
  }
  forgetTraces(store, id)
  deleteRows(store, 'users', {id})
  insertRow(store, 'deleted_users', {id, deleted_at: now})
}

/** The new maker's own request IDs stay as they are, so this drive gets one that no caller sends. */
function handOver(store: Store, driveId: string, user: User, heirId: number): void {
  store.run(
    `UPDATE drives SET creator_id = :heirId, request_id = 'handed over: ' || id
     WHERE id = :driveId AND creator_id = :userId`,
    {driveId, userId: user.id, heirId},
  )
}

/** Removes sign-ins, and what the user did with files that stay; each of those has a new state. */
function forgetTraces(store: Store, id: number): void {
  for (const column of ['modifier_id', 'trasher_id']) {
    store.run(`UPDATE files SET ${column} = NULL, version = version + 1 WHERE ${column} = :id`, {
      id,
    })
  }
  store.run('UPDATE revisions SET modifier_id = NULL WHERE modifier_id = :id', {id})
  store.run('UPDATE user_files SET sharer_id = NULL WHERE sharer_id = :id', {id})
  for (const table of ['sso_authorizations', 'sso_requests']) {
    store.run(
      `DELETE FROM ${table} WHERE token_id IN (SELECT id FROM tokens WHERE user_id = :id)`,
      {
        id,
      },
    )
  }
  for (const table of PERSONAL) deleteRows(store, table, {user_id: id})
  deleteRows(store, 'attempts', {subject: `user:${id}`})
  deleteRows(store, 'changes', {audience: `user:${id}`})
}

/** The tables whose rows belong to one user and to nobody else. */
const PERSONAL = [
  ...['user_files', 'hidden_drives', 'generated_ids'],
  ...['tokens', 'token_families', 'codes', 'device_grants', 'browser_accounts'],
]
