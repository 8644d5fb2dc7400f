import {recordAccessChange} from './changes.js'
import {column, deleteRows, insertRow} from './database/rows.js'
import {runAllSlices} from './database/slices.js'
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

/** The data that is deleted with an account. */
export interface AccountData {
  /** Files and folders that the user owns, wherever they are. */
  readonly items: number
  /** Size of their content including all revisions, in bytes. */
  readonly bytes: number
  /** Shared drives without other members. They are deleted with their contents. */
  readonly drives: readonly NamedDrive[]
  /** Shared drives with other members, but no other organizer. They prevent the deletion. */
  readonly orphans: readonly NamedDrive[]
}

/** The data that would be deleted with a user, and the shared drives that prevent it. */
export function accountDataOf(store: Store, user: User, now: number): AccountData {
  const {items, bytes} = store.get<{items: number; bytes: number}>(
    `SELECT count(*) AS items, coalesce(sum(quota_bytes), 0) AS bytes FROM files
     WHERE ${HOLDER} = :id AND parent_id IS NOT NULL`,
    {id: user.id},
  )!
  const plans = planDrives(store, user, now)
  const drivesWith = (action: DrivePlan['action']) =>
    plans.filter(plan => plan.action === action).map(({drive: {id, name}}) => ({id, name}))
  return {items, bytes, drives: drivesWith('delete'), orphans: drivesWith('block')}
}

/**
 * Deletes an account with its files, permissions, memberships, tokens, sign-ins, uploads and
 * channels. Items of others in its folders move to their owners' root folders, as when a folder is
 * deleted (reference: protocols.md, section 10). Items that it created or changed for others stay
 * and no longer name it. Runs in one transaction; content files are deleted after the commit. If
 * shared drives prevent the deletion, changes nothing and returns them.
 */
export function deleteUser(store: Store, user: User, now: number): readonly NamedDrive[] {
  const tasks: (() => void)[] = []
  const context: RemovalContext = {
    store,
    now,
    afterCommit: task => void tasks.push(task),
    inSlices: work => runAllSlices(work),
  }
  const orphans = store.write(() => {
    const plans = planDrives(store, user, now)
    const blocking = plans.filter(({action}) => action === 'block').map(({drive}) => drive)
    if (blocking.length === 0) removeAccount(context, user, plans)
    return blocking
  })
  for (const task of tasks) task()
  return orphans
}

/** The action for a shared drive when a user is deleted; `block` prevents the deletion. */
interface DrivePlan {
  readonly drive: NamedDrive
  readonly action: 'delete' | 'block' | 'keep'
  /** The ID of the account that becomes the creator of a drive that is kept. */
  readonly newCreatorId?: number
}

/** Plans for the shared drives that the user created or is a member of. Email addresses without an account count as members. */
function planDrives(store: Store, user: User, now: number): DrivePlan[] {
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
  return drives.map(({role, members, organizers, ...drive}): DrivePlan => {
    const newCreatorId = newCreatorOf(store, drive.id, user)
    // Without another account, nobody could ever get access again.
    if (newCreatorId === undefined || (role !== null && members === 0)) {
      return {drive, action: 'delete'}
    }
    if (role === 'organizer' && organizers === 0) return {drive, action: 'block'}
    return {drive, action: 'keep', newCreatorId}
  })
}

/** The ID of the account that becomes the creator of a shared drive: another organizer, or else a member, or else the oldest account. */
function newCreatorOf(store: Store, driveId: string, user: User): number | undefined {
  return store.get<{id: number}>(
    `SELECT u.id FROM users u
     LEFT JOIN permissions p ON p.file_id = :driveId AND p.id = u.permission_id
     WHERE u.id <> :userId
     ORDER BY p.role IS 'organizer' DESC, p.role IS NOT NULL DESC, u.id LIMIT 1`,
    {driveId, userId: user.id},
  )?.id
}

function removeAccount(context: RemovalContext, user: User, plans: readonly DrivePlan[]): void {
  const {store, now, afterCommit} = context
  const {id} = user
  // Its channels need no messages about the deletion.
  deleteRows(store, 'channels', {user_id: id})
  for (const {drive, action, newCreatorId} of plans) {
    if (action === 'delete') runAllSlices(deleteDrive(context, drive.id))
    else if (newCreatorId !== undefined) changeCreator(store, drive.id, user, newCreatorId)
  }
  // Root folders come first: most items are deleted with them.
  const owned = `SELECT id FROM files WHERE ${HOLDER} = :id ORDER BY parent_id IS NOT NULL`
  for (const fileId of column<string>(store, owned, {id})) {
    runAllSlices(deleteTrees(context, [fileId]))
  }
  const permitted = 'SELECT file_id FROM permissions WHERE id = :id'
  for (const fileId of column<string>(store, permitted, {id: user.permission_id})) {
    recordAccessChange(context, fileId, ['permissions'], () =>
      removePermission(store, fileId, user.permission_id),
    )
  }
  for (const blobId of removeSessionsOf(store, id)) {
    afterCommit(() => store.content.discardUnfinished(blobId))
  }
  removeReferences(store, id)
  deleteRows(store, 'users', {id})
  insertRow(store, 'deleted_users', {id, deleted_at: now})
}

/** Sets a new creator, and a request ID that no client sends, since it must differ from those of the new creator's drives. */
function changeCreator(store: Store, driveId: string, user: User, newCreatorId: number): void {
  store.run(
    `UPDATE drives SET creator_id = :newCreatorId, request_id = 'handed over: ' || id
     WHERE id = :driveId AND creator_id = :userId`,
    {driveId, userId: user.id, newCreatorId},
  )
}

/** Removes sign-ins, and references to the user from files that stay, which get a new version. */
function removeReferences(store: Store, id: number): void {
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

/** Tables whose rows belong to one user. */
const PERSONAL = [
  ...['user_files', 'hidden_drives', 'generated_ids'],
  ...['tokens', 'token_families', 'codes', 'device_grants', 'browser_accounts'],
]
