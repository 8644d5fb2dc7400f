import {FOLDER_TYPE} from '#lib/api/wire.js'
import {forbidden, notFound} from '#lib/service/errors.js'
import type {StoreCall} from '#lib/service/store/store-call.js'
import type {Parameters} from './database/database.js'
import {column, deleteRows, findRow, insertRow, updateRows} from './database/rows.js'
import {type FileRow, insertFileRow, saveFile} from './files/files.js'
import {newDriveId} from './ids.js'
import type {Store} from './index.js'
import {
  FINDABLE,
  GRANT_APPLIES,
  grantParameters,
  refuseClosedDrive,
  type Role,
  strongestRole,
} from './sharing/access.js'
import {restrictionsOf} from './sharing/capabilities.js'
import {type NewPermission, savePermission, userPermission} from './sharing/permissions.js'
import {mailDomain, type User} from './users.js'

/** A shared drive as stored. Columns: `layout.ts`. */
export interface DriveRow {
  readonly id: string
  readonly name: string
  readonly created_at: number
  readonly creator_id: number
  readonly request_id: string
  /** `null` if color or background were set without a theme. */
  readonly theme_id: string | null
  readonly color_rgb: string
  /** JSON of `BackgroundImage`; `null` for the background of the theme, or none. */
  readonly background: string | null
  /** JSON of `Restrictions`. */
  readonly restrictions: string
}

/** A section of an image file as the background of a drive. Coordinates and width are fractions of the image, from 0 to 1. */
export interface BackgroundImage {
  readonly id: string
  readonly xCoordinate: number
  readonly yCoordinate: number
  readonly width: number
}

/** A shared drive with the role and the `hidden` flag of the caller, who is a member. */
export interface OpenDrive extends DriveRow {
  readonly role: Role
  readonly hidden: number
}

/** The start of every query for a user's drives `d`. Needs `readerParameters`. */
const SELECT_DRIVES = `
  SELECT d.*, EXISTS (
    SELECT 1 FROM hidden_drives h WHERE h.drive_id = d.id AND h.user_id = :userId
  ) AS hidden
  FROM drives d
  WHERE EXISTS (SELECT 1 FROM permissions p WHERE p.file_id = d.id AND ${GRANT_APPLIES})`

export function driveExists(store: Store, id: string): boolean {
  return findRow(store, 'drives', {id}) !== undefined
}

type Reader = Pick<StoreCall, 'store' | 'user' | 'now' | 'closedDrives'>

function readerParameters({user, now}: Reader) {
  return {userId: user.id, ...grantParameters(user, now)}
}

/** The shared drive with this ID; `undefined` if it does not exist or the caller is not a member. */
export function findDrive(reader: Reader, id: string): OpenDrive | undefined {
  const row = reader.store.get<Omit<OpenDrive, 'role'>>(`${SELECT_DRIVES} AND d.id = :id`, {
    id,
    ...readerParameters(reader),
  })
  return row && withRole(reader, row)
}

function withRole({store, user, now}: Reader, drive: Omit<OpenDrive, 'role'>): OpenDrive {
  return {...drive, role: strongestRole(store, user, drive.id, now)!}
}

/** A condition on the drive `d`. It can use `:userId` and its own parameters. */
export interface DriveFilter {
  readonly condition: string
  readonly parameters: Parameters
}

/** The first `limit` of the caller's shared drives after `position` (Unix ms and ID) that match the filter and that the token can access, oldest first. */
export function drivesAfter(
  reader: Reader,
  {condition, parameters}: DriveFilter,
  position: readonly [created: number, id: string] | undefined,
  limit: number,
): readonly OpenDrive[] {
  const rows = reader.store.all<Omit<OpenDrive, 'role'>>(
    `${SELECT_DRIVES} AND (${condition}) 
       AND (:after IS NULL OR (d.created_at, d.id) > (:created, :after))
       AND d.id NOT IN (SELECT value FROM json_each(:closed))
     ORDER BY d.created_at, d.id LIMIT :limit`,
    {
      ...parameters,
      ...readerParameters(reader),
      created: position?.[0] ?? null,
      after: position?.[1] ?? null,
      closed: JSON.stringify([...(reader.closedDrives?.keys() ?? [])]),
      limit,
    },
  )
  return rows.map(row => withRole(reader, row))
}

/** The IDs of at most `limit` shared drives that the caller is a member of. */
export function memberDrives(reader: Reader, limit: number): string[] {
  return column(
    reader.store,
    `SELECT d.id FROM drives d WHERE EXISTS (
       SELECT 1 FROM permissions p WHERE p.file_id = d.id AND ${FINDABLE})
     ORDER BY d.id LIMIT :limit`,
    {...grantParameters(reader.user, reader.now), limit},
  )
}

/** Whether a user has already created a drive with this `requestId`. */
export function isRequestUsed(store: Store, userId: number, requestId: string): boolean {
  return findRow(store, 'drives', {creator_id: userId, request_id: requestId}) !== undefined
}

/** Whether a shared drive has items outside its trash. */
export function hasItems(store: Store, id: string): boolean {
  const kept = 'SELECT 1 FROM files WHERE drive_id = :id AND parent_id IS NOT NULL AND trashed = 0'
  return store.get(`${kept} LIMIT 1`, {id}) !== undefined
}

/** Increments the version of every item in a shared drive. */
export function incrementVersions(store: Store, driveId: string): void {
  store.run('UPDATE files SET version = version + 1 WHERE drive_id = :driveId', {driveId})
}

/** Hides a drive from a user's default view, or shows it again. Call it only if this is a change. */
export function saveHidden(store: Store, userId: number, driveId: string, hidden: boolean): void {
  const row = {user_id: userId, drive_id: driveId}
  if (hidden) insertRow(store, 'hidden_drives', row)
  else deleteRows(store, 'hidden_drives', row)
}

/** The shared drive with this ID. Throws 404 if it does not exist or the caller is not a member, and 403 if the token cannot access it. */
export function openDrive(reader: Reader, id: string): OpenDrive {
  const drive = findDrive(reader, id)
  if (!drive) throw notFound('Shared drive', id, 'driveId')
  refuseClosedDrive(reader, id)
  return drive
}

/** Creates a shared drive with its root folder and makes its creator an organizer. Returns its ID. */
export function createDrive(
  store: Store,
  now: number,
  creator: User,
  drive: Omit<DriveRow, 'id' | 'created_at' | 'creator_id'>,
  id = newDriveId(store.random),
): string {
  insertRow(store, 'drives', {...drive, id, created_at: now, creator_id: creator.id})
  insertFileRow(store, {
    id,
    drive_id: id,
    title: drive.name,
    mime_type: FOLDER_TYPE,
    created_at: now,
    modified_at: now,
    modifier_id: creator.id,
  })
  savePermission(store, id, userPermission(creator, 'organizer'))
  return id
}

/** Writes the columns of a drive that can change. Its name is also the title of its root folder. */
export function saveDrive(store: Store, drive: DriveRow): void {
  const {id, name, theme_id, color_rgb, background, restrictions} = drive
  updateRows(store, 'drives', {id}, {name, theme_id, color_rgb, background, restrictions})
  saveFile(store, id, {title: name})
}

/** Throws 403 if the restrictions of a drive forbid sharing one of its items with this principal. */
export function checkDriveSharing(
  store: Store,
  file: FileRow,
  principal: Pick<NewPermission, 'id' | 'email' | 'domain'>,
): void {
  if (file.drive_id === null) return
  const drive = store.get<DriveRow & {creator_email: string}>(
    `SELECT d.*, u.email AS creator_email FROM drives d JOIN users u ON u.id = d.creator_id
     WHERE d.id = :driveId`,
    {driveId: file.drive_id},
  )!
  const {domainUsersOnly, driveMembersOnly} = restrictionsOf(drive)
  const domain = principal.domain ?? mailDomain({email: principal.email ?? ''})
  const permitted = mailDomain({email: drive.creator_email})
  if (domainUsersOnly && domain !== permitted) {
    throw forbidden(
      'cannotShareTeamDriveWithNonPermittedUser',
      `Only users of ${permitted} can have access to this shared drive (domainUsersOnly).`,
    )
  }
  const isMember = findRow(store, 'permissions', {file_id: drive.id, id: principal.id})
  if (driveMembersOnly && file.id !== drive.id && !isMember) {
    throw forbidden(
      'teamDriveMembershipRequired',
      'Only members can have access to items of this shared drive (driveMembersOnly).',
    )
  }
}

/** Throws 403 if a change of this permission would leave a shared drive without an organizer. */
export function checkOrganizerStays(store: Store, fileId: string, role: Role): void {
  if (role !== 'organizer') return
  const organizers = store.all(
    "SELECT id FROM permissions WHERE file_id = :fileId AND role = 'organizer' AND type = 'user'",
    {fileId},
  )
  if (organizers.length > 1) return
  throw forbidden(
    'forbidden',
    'A shared drive needs an organizer. Make another user an organizer first.',
  )
}
