import {FOLDER_TYPE} from '../../api/wire.js'
import {forbidden, notFound} from '../errors.js'
import {
  GRANT_COUNTS,
  grantParameters,
  refuseClosedDrive,
  type Role,
  roleOf,
} from './sharing/access.js'
import type {ClosedDrives} from '../call.js'
import type {FileRow} from './files/files.js'
import {indexFile} from './files/fulltext.js'
import {newDriveId} from './ids.js'
import type {Store} from './index.js'
import {savePermission} from './sharing/permissions.js'
import type {Principal} from './sharing/principals.js'
import type {User} from './users.js'
import {searchWords, titleKey} from './files/words.js'

/** A shared drive as stored. Columns: `schema.ts`. */
export interface DriveRow {
  readonly id: string
  readonly name: string
  readonly created_at: number
  readonly creator_id: number
  readonly request_id: string
  /** `null` once colour or background were set by themselves. */
  readonly theme_id: string | null
  readonly color_rgb: string
  /** JSON of `BackgroundImage`; `null` for that of the theme or for none. */
  readonly background: string | null
  /** JSON of `Restrictions`. */
  readonly restrictions: string
}

/** The part of an image file that is a drive's background; parts of the image's size from 0 to 1. */
export interface BackgroundImage {
  readonly id: string
  readonly xCoordinate: number
  readonly yCoordinate: number
  readonly width: number
}

export const RESTRICTIONS = [
  'adminManagedRestrictions',
  'copyRequiresWriterPermission',
  'domainUsersOnly',
  'driveMembersOnly',
  'sharingFoldersRequiresOrganizerPermission',
] as const

/** What is not allowed in a shared drive (reference: resources.md, Drive). */
export type Restrictions = Readonly<Record<(typeof RESTRICTIONS)[number], boolean>>

export function restrictionsOf({restrictions}: Pick<DriveRow, 'restrictions'>): Restrictions {
  const set = JSON.parse(restrictions) as Partial<Restrictions>
  return Object.fromEntries(RESTRICTIONS.map(name => [name, set[name] === true])) as Restrictions
}

/** A shared drive of which the caller is a member, with the caller's role and view of it. */
export interface OpenDrive extends DriveRow {
  readonly role: Role
  readonly hidden: number
}

/** What every reading of a user's drives starts with: `d` is the drive; binds `drivesOf`. */
export const SELECT_DRIVES = `
  SELECT d.*, EXISTS (
    SELECT 1 FROM hidden_drives h WHERE h.drive_id = d.id AND h.user_id = :userId
  ) AS hidden
  FROM drives d
  WHERE EXISTS (SELECT 1 FROM permissions p WHERE p.file_id = d.id AND ${GRANT_COUNTS})`

/** What `SELECT_DRIVES` binds. */
export function drivesOf(user: User, now: number) {
  return {userId: user.id, ...grantParameters(user, now)}
}

export function driveExists(store: Store, id: string): boolean {
  return store.get('SELECT 1 FROM drives WHERE id = :id', {id}) !== undefined
}

interface Reader {
  readonly store: Store
  readonly user: User
  readonly now: number
  readonly closedDrives?: ClosedDrives
}

/** The shared drive of this ID; `undefined` when it is unknown or the caller is no member of it. */
export function findDrive({store, user, now}: Reader, id: string): OpenDrive | undefined {
  const row = store.get<Omit<OpenDrive, 'role'>>(`${SELECT_DRIVES} AND d.id = :id`, {
    id,
    ...drivesOf(user, now),
  })
  return row && {...row, role: roleOf(store, user, id, now)!}
}

/** The shared drive of this ID: 404 when it is unknown or the caller is no member of it. */
export function openDrive(reader: Reader, id: string): OpenDrive {
  const drive = findDrive(reader, id)
  if (!drive) throw notFound('Shared drive', id, 'driveId')
  refuseClosedDrive(reader, id)
  return drive
}

/** Makes a shared drive with its top folder, and its creator the organizer of it. */
export function createDrive(
  store: Store,
  now: number,
  creator: User,
  drive: Omit<DriveRow, 'id' | 'created_at' | 'creator_id'>,
): string {
  const id = newDriveId(store.random)
  store.run(
    `INSERT INTO drives
       (id, name, created_at, creator_id, request_id, theme_id, color_rgb, background, restrictions)
     VALUES (:id, :name, :now, :creatorId, :requestId, :themeId, :color, :background, :restrictions)`,
    {
      id,
      name: drive.name,
      now,
      creatorId: creator.id,
      requestId: drive.request_id,
      themeId: drive.theme_id,
      color: drive.color_rgb,
      background: drive.background,
      restrictions: drive.restrictions,
    },
  )
  store.run(
    `INSERT INTO files
       (id, drive_id, title, title_key, title_words, mime_type, created_at, modified_at, modifier_id)
     VALUES (:id, :id, :name, :key, :words, :type, :now, :now, :creatorId)`,
    {...titleColumns(drive.name), id, type: FOLDER_TYPE, now, creatorId: creator.id},
  )
  indexFile(store, id)
  savePermission(store, id, {
    id: creator.permission_id,
    type: 'user',
    role: 'organizer',
    email: creator.email,
    domain: null,
    withLink: false,
    expiresAt: null,
    pendingOwner: false,
  })
  return id
}

/** Writes what of a drive can change; its name is also that of its top folder. */
export function saveDrive(store: Store, drive: DriveRow): void {
  const {id, name, theme_id, color_rgb, background, restrictions} = drive
  store.run(
    `UPDATE drives SET name = :name, theme_id = :theme_id, color_rgb = :color_rgb,
       background = :background, restrictions = :restrictions WHERE id = :id`,
    {id, name, theme_id, color_rgb, background, restrictions},
  )
  store.run(
    `UPDATE files SET title = :name, title_key = :key, title_words = :words WHERE id = :id`,
    {...titleColumns(name), id},
  )
  indexFile(store, id)
}

function titleColumns(name: string) {
  return {name, key: titleKey(name), words: searchWords(name)}
}

/** 403 where a drive's restrictions do not let this principal be given access to an item in it. */
export function checkDriveSharing(store: Store, file: FileRow, principal: Principal): void {
  if (file.drive_id === null) return
  const drive = store.get<DriveRow & {creator_email: string}>(
    `SELECT d.*, u.email AS creator_email FROM drives d JOIN users u ON u.id = d.creator_id
     WHERE d.id = :driveId`,
    {driveId: file.drive_id},
  )!
  const {domainUsersOnly, driveMembersOnly} = restrictionsOf(drive)
  const domain = principal.domain ?? domainOf(principal.email)
  if (domainUsersOnly && domain !== domainOf(drive.creator_email)) {
    throw forbidden(
      'cannotShareTeamDriveWithNonPermittedUser',
      `Only people of ${domainOf(drive.creator_email)} can have access to this shared drive (domainUsersOnly).`,
    )
  }
  const isMember = store.get('SELECT 1 FROM permissions WHERE file_id = :driveId AND id = :id', {
    driveId: drive.id,
    id: principal.id,
  })
  if (driveMembersOnly && file.id !== drive.id && !isMember) {
    throw forbidden(
      'teamDriveMembershipRequired',
      'Only members can have access to items of this shared drive (driveMembersOnly).',
    )
  }
}

function domainOf(email: string | null): string | undefined {
  return email?.slice(email.lastIndexOf('@') + 1).toLowerCase()
}

/** 403 where an organizer is taken away or lowered and the shared drive has no other one. */
export function checkOrganizerStays(store: Store, fileId: string, role: Role): void {
  if (role !== 'organizer') return
  const organizers = store.all(
    `SELECT id FROM permissions WHERE file_id = :fileId AND role = 'organizer' AND type = 'user'
     LIMIT 2`,
    {fileId},
  )
  if (organizers.length > 1) return
  throw forbidden(
    'forbidden',
    'A shared drive needs an organizer. Give the role to someone else first.',
  )
}
