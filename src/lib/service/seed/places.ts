import {FOLDER_TYPE} from '#lib/api/wire.js'
import {FileServiceError} from '#lib/service/errors.js'
import {readDesign, themes} from '#lib/service/metadata/drive.js'
import {findRow, findRows} from '#lib/service/store/database/rows.js'
import {createDrive, type DriveRow, isRequestUsed, saveHidden} from '#lib/service/store/drives.js'
import {fileById, insertFileRow, saveFile} from '#lib/service/store/files/files.js'
import {newDriveId, newFileId} from '#lib/service/store/ids.js'
import {findAppFolder} from '#lib/service/store/sharing/access.js'
import {removePermission} from '#lib/service/store/sharing/permissions.js'
import type {User} from '#lib/service/store/users.js'
import {formerUser, requireUser} from './accounts.js'
import {completeItem, grant} from './details.js'
import type {Place} from './items.js'
import type {SeedAppData, SeedDrive, SeedRoot} from './seed.js'
import type {SeedRun} from './seed-run.js'
import {type SeedPath, SeedProblem} from './validate.js'

/** Writes what the items of a seed are in: My Drive, shared drives, hidden folders of apps. All functions throw `SeedProblem`. */

/** My Drive of a user. */
export function myDrive(owner: User): Place {
  return {parentId: owner.root_id, driveId: null, owner, space: 'drive', trashed: false, depth: 1}
}

/** Creates a shared drive. `first` is its creator unless the seed names one. */
export function applyDrive(run: SeedRun, drive: SeedDrive, path: SeedPath, first: User): Place {
  const {store} = run
  const {name, createdBy, restrictions = {}, permissions} = drive
  const creator =
    createdBy === undefined ? first : requireUser(run, createdBy, [...path, 'createdBy'])
  const at = run.time(drive.createdDate, [...path, 'createdDate']) ?? run.now
  if (drive.id !== undefined) run.claim(drive.id, [...path, 'id'])
  const id = drive.id ?? newDriveId(store.random)
  const requestId = drive.requestId ?? id
  if (isRequestUsed(store, creator.id, requestId)) {
    throw new SeedProblem([...path, 'requestId'], `belongs to another shared drive: ${requestId}`)
  }
  const row = {
    name,
    request_id: requestId,
    ...designOf(run, drive, path),
    restrictions: JSON.stringify(restrictions),
  }
  createDrive(store, at, creator, row, id)
  if (permissions) {
    removePermission(store, id, creator.permission_id)
    grant(run, id, permissions, [...path, 'permissions'], true)
  }
  for (const [index, login] of (drive.hiddenFor ?? []).entries()) {
    const user = requireUser(run, login, [...path, 'hiddenFor', index])
    saveHidden(store, user.id, id, true)
  }
  return {parentId: id, driveId: id, owner: creator, space: 'drive', trashed: false, depth: 1}
}

function designOf({store}: SeedRun, drive: SeedDrive, path: SeedPath) {
  const {themeId, colorRgb, backgroundImageFile} = drive
  const theme = themes[store.random(1)[0]! % themes.length]!
  const isFree = colorRgb === undefined && backgroundImageFile === undefined
  const current = {theme_id: null, color_rgb: isFree ? '' : theme.colorRgb, background: null}
  const given = {themeId: themeId ?? (isFree ? theme.id : undefined), colorRgb, backgroundImageFile}
  try {
    return readDesign(given, current) ?? current
  } catch (error) {
    if (!(error instanceof FileServiceError)) throw error
    throw new SeedProblem(path, `is not valid: ${error.message}`)
  }
}

/** The ID of the shared drive with this ID or name. */
export function driveNamed({store}: SeedRun, name: string, path: SeedPath): string {
  if (findRow(store, 'drives', {id: name})) return name
  const [drive, other] = findRows<DriveRow>(store, 'drives', {name}, 'id')
  if (!drive) throw new SeedProblem(path, `is an unknown shared drive: "${name}"`)
  if (other)
    throw new SeedProblem(path, `is the name of several shared drives: "${name}". Use an ID`)
  return drive.id
}

/** Creates the hidden folder of an app, unless it exists. */
export function applyAppData(run: SeedRun, data: SeedAppData, path: SeedPath): Place {
  const {store} = run
  const owner = requireUser(run, data.user, [...path, 'user'])
  const {app, id} = data
  const known = findAppFolder({store, user: owner, clientId: app})
  if (known !== undefined && id !== undefined && known !== id) {
    throw new SeedProblem([...path, 'id'], `must be ${known}, the ID of the existing folder`)
  }
  if (known === undefined && id !== undefined) run.claim(id, [...path, 'id'])
  const folder = known ?? id ?? newFileId(store.random)
  const at = run.time(data.createdDate, [...path, 'createdDate']) ?? run.now
  if (known === undefined) {
    insertFileRow(store, {
      id: folder,
      owner_id: owner.id,
      space: 'appDataFolder',
      client_id: app ?? null,
      title: 'Application Data',
      mime_type: FOLDER_TYPE,
      created_at: at,
      modified_at: at,
    })
  }
  const place = {parentId: folder, driveId: null, owner, client: app, trashed: false, depth: 1}
  return {...place, space: 'appDataFolder'}
}

/** Writes the metadata of the root folder of a place. */
export function completeRoot(
  run: SeedRun,
  root: SeedRoot | undefined,
  place: Place,
  path: SeedPath,
): void {
  if (!root) return
  const {store} = run
  const {
    id,
    title,
    mime_type: mimeType,
    modified_at,
    modifier_id,
  } = fileById(store, place.parentId)!
  const at: SeedPath = [...path, 'root']
  const modifiedAt = run.time(root.modifiedDate, [...at, 'modifiedDate']) ?? modified_at
  const modifier = formerUser(run, root.modifiedBy, [...at, 'modifiedBy'], undefined)
  saveFile(store, id, {
    modified_at: modifiedAt,
    modifier_id: root.modifiedBy === undefined ? modifier_id : (modifier?.id ?? null),
    ...(root.version !== undefined && {version: root.version}),
  })
  const item = {file: {...root, title}, path: at, kind: 'folder', mimeType, modifier} as const
  const empty = {revisions: [], children: []}
  completeItem(run, {...item, ...empty, id, place, modifiedAt, isRoot: true})
}
