import type {Call} from '../call.js'
import {forgetSignIns} from '../oauth/forget.js'
import {removeSessionsOf} from '../uploads/sessions.js'
import {roleOf} from './access.js'
import {recordAccessChange} from './changes.js'
import {fileById} from './files.js'
import type {Store} from './index.js'
import {removePermission} from './permissions.js'
import {deleteDrive, deleteTree} from './remove.js'
import {allUsers, type User} from './users.js'

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
  /** The shared drives of which no other account is a member: they go with all that is in them. */
  readonly drives: readonly NamedDrive[]
  /** Those that others are members of, and of which the user is the only organizer: they are in the way. */
  readonly orphans: readonly NamedDrive[]
}

type Context = Pick<Call, 'store' | 'now' | 'afterCommit'>

export function estateOf(store: Store, user: User, now: number): Estate {
  const {items, bytes} = store.get<{items: number; bytes: number}>(
    `SELECT count(*) AS items, coalesce(sum(quota_bytes), 0) AS bytes FROM files
     WHERE owner_id = :id AND parent_id IS NOT NULL`,
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
  const context: Context = {store, now, afterCommit: task => later.push(task)}
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
  /** Who counts as its maker from now on. */
  readonly heir?: User
}

/** What becomes of the shared drives that the user is a member of, or made. */
function fatesOf(store: Store, user: User, now: number): Fate[] {
  const others = allUsers(store).filter(({id}) => id !== user.id)
  const drives = store.all<NamedDrive & {role: string | null}>(
    `SELECT d.id, d.name, p.role FROM drives d
     LEFT JOIN permissions p ON p.file_id = d.id AND p.id = :permissionId
     WHERE d.creator_id = :id OR p.id IS NOT NULL ORDER BY d.created_at, d.id`,
    {id: user.id, permissionId: user.permission_id},
  )
  return drives.map(({role, ...drive}): Fate => {
    const roles = others.map(other => roleOf(store, other, drive.id, now))
    const organizer = others[roles.indexOf('organizer')]
    const member = others[roles.findIndex(other => other !== undefined)]
    // Where no account is left that could ever be let in, nothing of it is anybody's.
    if (!member && (role !== null || others.length === 0)) return {drive, kind: 'goes'}
    if (role === 'organizer' && !organizer) return {drive, kind: 'orphan'}
    return {drive, kind: 'stays', heir: organizer ?? member ?? others[0]}
  })
}

function removeAccount(context: Context, user: User, fates: readonly Fate[]): void {
  const {store, now, afterCommit} = context
  const {id} = user
  // Nobody is left to be told over its channels.
  store.run('DELETE FROM channels WHERE user_id = :id', {id})
  for (const {drive, kind, heir} of fates) {
    if (kind === 'goes') deleteDrive(context, drive.id)
    else if (heir) handOver(store, drive.id, user, heir)
  }
  for (const file of ownedItems(store, id)) {
    if (fileById(store, file)) deleteTree(context, file)
  }
  for (const {file_id: fileId} of permissionsOf(store, user)) {
    recordAccessChange(store, now, fileId, ['permissions'], () =>
      removePermission(store, fileId, user.permission_id),
    )
  }
  forgetMarks(store, id)
  for (const blobId of removeSessionsOf(store, id)) {
    afterCommit(() => store.content.remove(blobId))
  }
  forgetSignIns(store, id)
  store.run('DELETE FROM users WHERE id = :id', {id})
  store.run('INSERT INTO deleted_users (id, deleted_at) VALUES (:id, :now)', {id, now})
}

/** Top folders come first: with them goes most of what is below. */
function ownedItems(store: Store, id: number): string[] {
  return store
    .all<{id: string}>('SELECT id FROM files WHERE owner_id = :id ORDER BY parent_id IS NOT NULL', {
      id,
    })
    .map(file => file.id)
}

function permissionsOf(store: Store, {permission_id: id}: User) {
  return store.all<{file_id: string}>('SELECT file_id FROM permissions WHERE id = :id', {id})
}

/** The new maker's own request IDs stay as they are, so this drive gets one that no caller sends. */
function handOver(store: Store, driveId: string, user: User, heir: User): void {
  store.run(
    `UPDATE drives SET creator_id = :heirId, request_id = 'handed over: ' || id
     WHERE id = :driveId AND creator_id = :userId`,
    {driveId, userId: user.id, heirId: heir.id},
  )
}

/** What the user did with files that stay; each of those has a new state. */
function forgetMarks(store: Store, id: number): void {
  for (const column of ['modifier_id', 'trasher_id']) {
    store.run(`UPDATE files SET ${column} = NULL, version = version + 1 WHERE ${column} = :id`, {
      id,
    })
  }
  store.run('UPDATE revisions SET modifier_id = NULL WHERE modifier_id = :id', {id})
  store.run('UPDATE user_files SET sharer_id = NULL WHERE sharer_id = :id', {id})
  for (const table of ['user_files', 'hidden_drives', 'generated_ids']) {
    store.run(`DELETE FROM ${table} WHERE user_id = :id`, {id})
  }
  store.run('DELETE FROM changes WHERE audience = :line', {line: `user:${id}`})
}
