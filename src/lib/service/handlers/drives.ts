import type {Call, Handlers} from '../call.js'
import {badRequest, conflict, forbidden, required} from '../errors.js'
import {organizersOnly, wishedLook, wishedName, wishedRestrictions} from '../metadata/drive.js'
import {randomTheme} from '../metadata/themes.js'
import {pageToken, readPageToken} from '../paging.js'
import {booleanField, integerField, timeField, titleField} from '../query/fields.js'
import {parseQuery} from '../query/parse.js'
import {binder, type Fields, querySql} from '../query/sql.js'
import {driveCapabilities, driveRecord} from '../records/drive.js'
import {refuseDomainAdmin} from '../sharing/rules.js'
import {openFile, roleOf} from '../store/sharing/access.js'
import {audienceOf} from '../store/sharing/audience.js'
import {recordChange, recordDriveChange} from '../store/changes.js'
import {
  type BackgroundImage,
  createDrive,
  type DriveRow,
  drivesOf,
  type OpenDrive,
  openDrive,
  saveDrive,
  SELECT_DRIVES,
} from '../store/drives.js'
import {deleteDrive} from '../store/files/remove.js'

/** Shared drives (reference: protocols.md, section 13; resources.md, Drive). */

const PAGE = 10

export const drivesHandlers: Handlers<'drives'> = {
  'drives.get'(call) {
    refuseDomainAdmin(call.params)
    return driveRecord(call, openDrive(call, call.params.driveId))
  },

  'drives.list'(call) {
    const {store, user, now, params, closedDrives} = call
    refuseDomainAdmin(params)
    const {bind, parameters} = binder(drivesOf(user, now))
    const query = parseQuery(params.q)
    const condition = query ? querySql(query, driveFields, bind) : 'TRUE'
    const closed = bind(JSON.stringify([...(closedDrives?.keys() ?? [])]))
    const binding = ['drives', user.id, params.q]
    const position = readPageToken(params.pageToken, binding) as [number, string] | undefined
    const [time, id] = position ?? [-Infinity, '']
    const start =
      position === undefined ? 'TRUE' : `(d.created_at, d.id) > (${bind(time)}, ${bind(id)})`
    const size = params.maxResults ?? PAGE
    const found = store.all<Omit<OpenDrive, 'role'>>(
      `${SELECT_DRIVES} AND (${condition}) AND ${start}
         AND d.id NOT IN (SELECT value FROM json_each(${closed}))
       ORDER BY d.created_at, d.id LIMIT ${bind(size + 1)}`,
      parameters,
    )
    const rows = found.slice(0, size)
    const last = rows.at(-1)
    return {
      kind: 'drive#driveList',
      ...(found.length > size &&
        last && {nextPageToken: pageToken(binding, [last.created_at, last.id])}),
      items: rows.map(row => driveRecord(call, {...row, role: roleOf(store, user, row.id, now)!})),
    }
  },

  'drives.insert'(call) {
    const {store, user, now, params, body} = call
    if (params.requestId === '') throw required('requestId')
    const name = wishedName(body)
    if (name === undefined) throw required('name')
    for (const field of ['colorRgb', 'backgroundImageFile']) {
      if (body[field] === undefined || body[field] === null) continue
      throw badRequest(`${field} can be set with drives.update only.`, field, 'invalid')
    }
    const made = store.get(
      'SELECT 1 FROM drives WHERE creator_id = :userId AND request_id = :requestId',
      {userId: user.id, requestId: params.requestId},
    )
    if (made) {
      throw conflict('duplicate', 'This requestId has made a shared drive already; list them.')
    }
    const theme = body.themeId ?? randomTheme(store.random).id
    const look = wishedLook({themeId: theme}, {theme_id: null, color_rgb: '', background: null})!
    const id = createDrive(store, now, user, {
      name,
      request_id: params.requestId,
      ...look,
      restrictions: '{}',
    })
    const drive = openDrive(call, id)
    const restrictions = wishedRestrictions(body, drive)
    if (restrictions) saveDrive(store, {...drive, restrictions: JSON.stringify(restrictions)})
    recordDriveChange(store, now, id, audienceOf(store, id).lines.keys())
    return driveRecord(call, openDrive(call, id))
  },

  'drives.update'(call) {
    const {store, now, params, body} = call
    refuseDomainAdmin(params)
    const drive = openDrive(call, params.driveId)
    const can = driveCapabilities(drive)
    const name = wishedName(body) ?? drive.name
    const look = wishedLook(body, drive)
    const restrictions = wishedRestrictions(body, drive)
    if (name !== drive.name && !can.canRenameDrive) throw organizersOnly('its name')
    if (look && !can.canChangeDriveBackground) throw organizersOnly('its theme')
    if (look?.background) checkImageFile(call, JSON.parse(look.background) as BackgroundImage)
    if (name === drive.name && !look && !restrictions) return driveRecord(call, drive)

    const changed: DriveRow = {
      ...drive,
      ...look,
      name,
      ...(restrictions && {restrictions: JSON.stringify(restrictions)}),
    }
    saveDrive(store, changed)
    if (restrictions) {
      // They decide what can be done with each item, so each has a new state.
      store.run('UPDATE files SET version = version + 1 WHERE drive_id = :id', {id: drive.id})
    }
    if (name !== drive.name) recordChange(store, now, drive.id, 'update')
    recordDriveChange(store, now, drive.id, audienceOf(store, drive.id).lines.keys())
    return driveRecord(call, openDrive(call, drive.id))
  },

  'drives.delete'(call) {
    const {store, params} = call
    refuseDomainAdmin(params)
    if (params.allowItemDeletion) {
      throw forbidden(
        'forbidden',
        'allowItemDeletion goes with useDomainAdminAccess only. Trash the items first.',
        {locationType: 'parameter', location: 'allowItemDeletion'},
      )
    }
    const {id, ...drive} = openDrive(call, params.driveId)
    if (!driveCapabilities({id, ...drive}).canDeleteDrive) {
      throw forbidden(
        'insufficientFilePermissions',
        'Only an organizer of the shared drive may delete it.',
      )
    }
    const kept = store.get(
      'SELECT 1 FROM files WHERE drive_id = :id AND parent_id IS NOT NULL AND trashed = 0 LIMIT 1',
      {id},
    )
    if (kept) {
      throw forbidden('forbidden', 'The shared drive still has items. Trash or delete them first.')
    }
    deleteDrive(call, id)
    return undefined
  },

  'drives.hide': call => setHidden(call, true),

  'drives.unhide': call => setHidden(call, false),
}

/** Hides a drive from the caller's default view, or shows it again; others see no difference. */
function setHidden(call: Call<'drives.hide' | 'drives.unhide'>, hidden: boolean) {
  const {store, user, now} = call
  const drive = openDrive(call, call.params.driveId)
  if (drive.hidden === Number(hidden)) return driveRecord(call, drive)
  store.run(
    hidden
      ? 'INSERT INTO hidden_drives (user_id, drive_id) VALUES (:userId, :driveId)'
      : 'DELETE FROM hidden_drives WHERE user_id = :userId AND drive_id = :driveId',
    {userId: user.id, driveId: drive.id},
  )
  recordDriveChange(store, now, drive.id, [`user:${user.id}`])
  return driveRecord(call, openDrive(call, drive.id))
}

function checkImageFile(call: Call, image: BackgroundImage): void {
  const file = openFile(call, image.id, 'canDownload', 'backgroundImageFile.id')
  if (file.mime_type.startsWith('image/')) return
  throw badRequest('The background must be an image.', 'backgroundImageFile', 'invalid')
}

/** What queries over shared drives know (reference: protocols.md, section 5). */
const driveFields: Fields = name => {
  const ofTop = (column: string) => `(SELECT f.${column} FROM files f WHERE f.id = d.id)`
  const members = "SELECT count(*) FROM permissions m WHERE m.file_id = d.id AND m.type = 'user'"
  switch (name) {
    case 'name':
      return titleField(ofTop('title_key'), ofTop('title_words'))
    case 'hidden':
      return booleanField(
        'EXISTS (SELECT 1 FROM hidden_drives h WHERE h.drive_id = d.id AND h.user_id = :userId)',
      )
    case 'createdDate':
      return timeField('d.created_at')
    case 'memberCount':
      return integerField(`(${members})`)
    case 'organizerCount':
      return integerField(`(${members} AND m.role = 'organizer')`)
    default:
      return undefined
  }
}
