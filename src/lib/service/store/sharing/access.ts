import {scopes} from '#lib/api/description/scopes.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {insufficientRole, notFound, SsoRequired} from '#lib/service/errors.js'
import {fileById, type FileRow, insertFileRow} from '#lib/service/store/files/files.js'
import {newFileId} from '#lib/service/store/ids.js'
import type {Store} from '#lib/service/store/index.js'
import type {StoreCall} from '#lib/service/store/store-call.js'
import {mailDomain, type User} from '#lib/service/store/users.js'
import {
  capabilitiesOf,
  type Capability,
  type ReachedFile,
  type Role,
  ROLES,
} from './capabilities.js'

export {hasRole, type ReachedFile, type Role} from './capabilities.js'

/** The condition for a permission `p` to be valid and apply to a user. Needs `grantParameters`. */
export const GRANT_APPLIES = `
  (p.expires_at IS NULL OR p.expires_at > :now) AND
  (p.id = :permissionId OR p.type = 'anyone' OR (p.type = 'domain' AND p.domain = :mailDomain))`

/** The condition for a permission `p` to make an item findable for a user. Needs `grantParameters`. */
export const FINDABLE = `p.with_link = 0 AND ${GRANT_APPLIES}`

export function grantParameters(user: User, now: number) {
  return {permissionId: user.permission_id, mailDomain: mailDomain(user), now}
}

/** The strongest role of a user on an item, direct or inherited; `undefined` without access. The owner of a folder is a writer of items that others add to it. */
export function strongestRole(
  store: Store,
  user: User,
  fileId: string,
  now: number,
): Role | undefined {
  const grants = store.all<{
    depth: number
    owner_id: number | null
    role: Role | null
    commenter: number | null
  }>(
    `WITH RECURSIVE up(id, parent_id, owner_id, inherits, depth) AS (
       SELECT id, parent_id, owner_id, inherits, 0 FROM files WHERE id = :fileId
       UNION ALL
       SELECT f.id, f.parent_id, f.owner_id, f.inherits, up.depth + 1
       FROM files f JOIN up ON f.id = up.parent_id WHERE up.inherits = 1
     )
     SELECT up.depth, up.owner_id, p.role, p.commenter
     FROM up LEFT JOIN permissions p ON p.file_id = up.id AND ${GRANT_APPLIES}`,
    {fileId, ...grantParameters(user, now)},
  )
  const roles = grants.flatMap((grant): Role[] => {
    const owned: Role[] = grant.owner_id === user.id ? [grant.depth === 0 ? 'owner' : 'writer'] : []
    const granted: Role[] =
      grant.role === 'reader' && grant.commenter ? ['commenter'] : grant.role ? [grant.role] : []
    return [...owned, ...granted]
  })
  return ROLES.find(role => roles.includes(role))
}

/** Like `strongestRole`, for an item whose row is known. Faster for its owner. */
export function roleOn(
  store: Store,
  user: User,
  file: Pick<FileRow, 'id' | 'owner_id'>,
  now: number,
): Role | undefined {
  return file.owner_id === user.id ? 'owner' : strongestRole(store, user, file.id, now)
}

/** The scopes that give access only to files that their app created. */
const [FILE_SCOPE, APPDATA_SCOPE] = scopes('drive.file', 'drive.appdata')

/** The items that a token can access: all of the drive space, those that its app created, or none; and whether the app's hidden folder. */
export function tokenReach(call: Pick<StoreCall, 'scopes' | 'operation'>) {
  const usable = [...call.scopes].filter(
    scope => scope !== APPDATA_SCOPE && call.operation.scopes.includes(scope),
  )
  const all = usable.some(scope => scope !== FILE_SCOPE)
  const drive: 'all' | 'own' | 'none' = all ? 'all' : usable.length > 0 ? 'own' : 'none'
  return {drive, appData: call.scopes.has(APPDATA_SCOPE!)}
}

/** Whether a token can access an item. `drive.file` gives access to files that its app created, and only the app itself can access its hidden folder. */
export function tokenReaches(
  call: Pick<StoreCall, 'scopes' | 'clientId' | 'operation'>,
  file: Pick<FileRow, 'client_id' | 'space' | 'parent_id'>,
): boolean {
  const own = (call.clientId ?? null) === file.client_id
  const reach = tokenReach(call)
  if (file.space === 'appDataFolder') return own && reach.appData
  return reach.drive === 'all' || (reach.drive === 'own' && (own || file.parent_id === null))
}

/** The ID for the aliases `root` (My Drive) and `appDataFolder` (the app's hidden folder), in any case; other IDs unchanged. */
export function realFileId(
  call: Pick<StoreCall, 'user' | 'store' | 'clientId'>,
  id: string,
): string {
  if (id.toLowerCase() === 'root') return call.user.root_id
  return (isAppFolderAlias(id) ? findAppFolder(call) : undefined) ?? id
}

function isAppFolderAlias(id: string): boolean {
  return ['appdata', 'appdatafolder'].includes(id.toLowerCase())
}

/**
 * The item with this ID or alias. Throws 404 if it does not exist or the caller cannot see it, and 403
 * if the caller lacks `capability`. Items of shared drives need `supportsAllDrives` if the operation
 * has this parameter (reference: protocols.md, section 12), except for their content, as in the
 * public service.
 */
export function requireFile(
  call: StoreCall,
  id: string,
  capability?: Capability,
  parameter = 'fileId',
): ReachedFile {
  if (isAppFolderAlias(id) && call.scopes.has(APPDATA_SCOPE!)) ensureAppFolder(call)
  const file = fileById(call.store, realFileId(call, id))
  const role = file && roleOn(call.store, call.user, file, call.now)
  if (!file || !role || !tokenReaches(call, file) || hiddenDriveItem(call, file)) {
    throw notFound('File', id, parameter)
  }
  refuseClosedDrive(call, file.drive_id)
  const open = {...file, role}
  if (capability && !capabilitiesOf(call.store, open)[capability]) throw insufficientRole(id)
  return open
}

/** Throws 403 if the token cannot access the shared drive because of its organization. */
export function refuseClosedDrive(
  {closedDrives}: Pick<StoreCall, 'closedDrives'>,
  driveId: string | null,
): void {
  const organizationId = driveId === null ? undefined : closedDrives?.get(driveId)
  if (organizationId !== undefined) throw new SsoRequired(organizationId)
}

function hiddenDriveItem(call: StoreCall, file: FileRow): boolean {
  const params = call.params as {supportsAllDrives?: boolean; supportsTeamDrives?: boolean}
  if (file.drive_id === null || params.supportsAllDrives === undefined) return false
  if (call.alt === 'media') return false
  return !params.supportsAllDrives && !params.supportsTeamDrives
}

/** The ID of the app's hidden folder for the calling user; `undefined` if it does not exist yet. */
export function findAppFolder({
  store,
  user,
  clientId = null,
}: Pick<StoreCall, 'store' | 'user'> & {readonly clientId?: string | null}): string | undefined {
  return store.get<{id: string}>(
    `SELECT id FROM files WHERE space = 'appDataFolder' AND parent_id IS NULL
     AND owner_id = :userId AND client_id IS :clientId`,
    {userId: user.id, clientId},
  )?.id
}

/** Creates the app's hidden folder on first use. */
export function ensureAppFolder(
  call: Pick<StoreCall, 'store' | 'user' | 'now' | 'clientId'>,
): void {
  const {store, user, now, clientId} = call
  if (findAppFolder(call) !== undefined) return
  insertFileRow(store, {
    id: newFileId(store.random),
    owner_id: user.id,
    space: 'appDataFolder',
    client_id: clientId,
    title: 'Application Data',
    mime_type: FOLDER_TYPE,
    created_at: now,
    modified_at: now,
  })
}
