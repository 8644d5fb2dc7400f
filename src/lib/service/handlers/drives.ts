import type {Call, Handlers} from '#lib/service/call.js'
import {conflict, forbidden, invalid, required} from '#lib/service/errors.js'
import {
  organizersOnly,
  readDesign,
  readName,
  requestedRestrictions,
  themes,
} from '#lib/service/metadata/drive.js'
import {driveFilter} from '#lib/service/query/fields.js'
import {driveRecord} from '#lib/service/records/drive.js'
import {refuseDomainAdmin} from '#lib/service/sharing/rules.js'
import {recordChange, recordDriveChange} from '#lib/service/store/changes.js'
import {
  type BackgroundImage,
  createDrive,
  drivesAfter,
  hasItems,
  incrementVersions,
  isRequestUsed,
  openDrive,
  saveDrive,
  saveHidden,
} from '#lib/service/store/drives.js'
import {deleteDrive} from '#lib/service/store/remove.js'
import {requireFile} from '#lib/service/store/sharing/access.js'
import {audienceOf} from '#lib/service/store/sharing/audience.js'
import {driveCapabilities} from '#lib/service/store/sharing/capabilities.js'
import {pageOf, readPageToken} from './paging.js'

/** Shared drives (reference: protocols.md, section 13; resources.md, Drive). */

/** Default page size. */
const PAGE = 10

export const drivesHandlers: Handlers<'drives'> = {
  'drives.get'(call) {
    refuseDomainAdmin(call.params)
    return driveRecord(call, openDrive(call, call.params.driveId))
  },

  'drives.list'(call) {
    const {user, params} = call
    refuseDomainAdmin(params)
    const filter = driveFilter(params.q)
    const binding = ['drives', user.id, params.q]
    const position = readPageToken(params.pageToken, binding) as [number, string] | undefined
    const size = params.maxResults ?? PAGE
    const found = drivesAfter(call, filter, position, size + 1)
    const {rows, ...next} = pageOf(found, size, binding, last => [last.created_at, last.id])
    return {kind: 'drive#driveList', ...next, items: rows.map(row => driveRecord(call, row))}
  },

  'drives.insert'(call) {
    const {store, user, now, params, body} = call
    if (params.requestId === '') throw required('requestId')
    const name = readName(body)
    if (name === undefined) throw required('name')
    for (const field of ['colorRgb', 'backgroundImageFile']) {
      if (body[field] === undefined || body[field] === null) continue
      throw invalid(`${field} can only be set with drives.update.`, field)
    }
    if (isRequestUsed(store, user.id, params.requestId)) {
      throw conflict(
        'duplicate',
        'A shared drive with this requestId already exists. Call drives.list.',
      )
    }
    const theme = body.themeId ?? themes[store.random(1)[0]! % themes.length]!.id
    const design = readDesign({themeId: theme}, {theme_id: null, color_rgb: '', background: null})!
    const row = {name, request_id: params.requestId, ...design, restrictions: '{}'}
    const id = createDrive(store, now, user, row)
    const drive = openDrive(call, id)
    const restrictions = requestedRestrictions(body, drive)
    if (restrictions) saveDrive(store, {...drive, restrictions: JSON.stringify(restrictions)})
    recordDriveChange(store, now, id, audienceOf(store, id).lines.keys())
    return driveRecord(call, openDrive(call, id))
  },

  'drives.update'(call) {
    const {store, now, params, body} = call
    refuseDomainAdmin(params)
    const drive = openDrive(call, params.driveId)
    const can = driveCapabilities(drive)
    const name = readName(body) ?? drive.name
    const design = readDesign(body, drive)
    const restrictions = requestedRestrictions(body, drive)
    if (name !== drive.name && !can.canRenameDrive) throw organizersOnly('its name')
    if (design && !can.canChangeDriveBackground) throw organizersOnly('its theme')
    if (design?.background) checkImageFile(call, JSON.parse(design.background) as BackgroundImage)
    if (name === drive.name && !design && !restrictions) return driveRecord(call, drive)

    saveDrive(store, {
      ...drive,
      ...design,
      name,
      ...(restrictions && {restrictions: JSON.stringify(restrictions)}),
    })
    // Restrictions change the capabilities of every item, so every item gets a new version.
    if (restrictions) incrementVersions(store, drive.id)
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
        'allowItemDeletion requires useDomainAdminAccess. Move the items to the trash instead, and omit allowItemDeletion.',
        'allowItemDeletion',
      )
    }
    const drive = openDrive(call, params.driveId)
    if (!driveCapabilities(drive).canDeleteDrive) {
      throw forbidden(
        'insufficientFilePermissions',
        'Only an organizer of the shared drive can delete it.',
      )
    }
    if (hasItems(store, drive.id)) {
      throw forbidden(
        'forbidden',
        'The shared drive is not empty. Trash or delete its items first.',
      )
    }
    call.inSlices(deleteDrive(call, drive.id))
    return undefined
  },

  'drives.hide': call => setHidden(call, true),

  'drives.unhide': call => setHidden(call, false),
}

/** Hides a drive from the caller's default view, or shows it again. Other members are not affected. */
function setHidden(call: Call<'drives.hide' | 'drives.unhide'>, hidden: boolean) {
  const {store, user, now} = call
  const drive = openDrive(call, call.params.driveId)
  if (drive.hidden === Number(hidden)) return driveRecord(call, drive)
  saveHidden(store, user.id, drive.id, hidden)
  recordDriveChange(store, now, drive.id, [`user:${user.id}`])
  return driveRecord(call, openDrive(call, drive.id))
}

/** Throws 400 unless the background is an image, and 403 or 404 unless the caller can download it. */
function checkImageFile(call: Call, image: BackgroundImage): void {
  const file = requireFile(call, image.id, 'canDownload', 'backgroundImageFile.id')
  if (file.mime_type.startsWith('image/')) return
  throw invalid('The background must be an image.', 'backgroundImageFile')
}
