import {parseMaxSize} from '#lib/api/document/formats.js'
import {operation} from '#lib/api/operations.js'
import type {Call, Handlers} from '#lib/service/call.js'
import {exportFormats, importFormats} from '#lib/service/content/convert.js'
import {invalidValue} from '#lib/service/errors.js'
import {themeRecord, themes} from '#lib/service/metadata/drive.js'
import {folderColorPalette} from '#lib/service/metadata/file.js'
import {etagOf, requestLink, userRecord} from '#lib/service/records/common.js'
import {largestChangeId, readChanges} from '#lib/service/store/changes.js'
import {quotaOf} from '#lib/service/store/files/files.js'
import {viewOf} from './changes.js'

/** Upper limit of `remainingChangeIds`, even if a request allows more (reference: resources.md, About). */
const MAX_REMAINING = 2500

/** Maximum size of an upload to files.insert, in bytes, for every media type. */
const UPLOAD_LIMIT = String(parseMaxSize(operation('files.insert').mediaUpload?.maxSize ?? ''))

export const aboutHandlers: Handlers<'about'> = {
  'about.get'(call) {
    const {store, user} = call
    const record = {
      kind: 'drive#about',
      selfLink: requestLink(call, 'about'),
      name: user.name,
      user: userRecord(user, call),
      permissionId: user.permission_id,
      rootFolderId: user.root_id,
      languageCode: 'en',
      domainSharingPolicy: 'allowed',
      isCurrentAppInstalled: call.clientId !== undefined,
      canCreateDrives: true,
      canCreateTeamDrives: true,
      ...quota(call),
      largestChangeId: String(largestChangeId(store)),
      remainingChangeIds: String(remainingChanges(call)),
      maxUploadSizes: [{type: '*', size: UPLOAD_LIMIT}],
      importFormats: importFormats(),
      exportFormats: exportFormats(),
      additionalRoleInfo: [
        {type: '*', roleSets: [{primaryRole: 'reader', additionalRoles: ['commenter']}]},
      ],
      features: [],
      folderColorPalette,
      driveThemes: themes.map(themeRecord),
      teamDriveThemes: themes.map(themeRecord),
    }
    return {...record, etag: etagOf(record)}
  },
}

/**
 * The quota fields of About, in bytes. Usage includes the trash and the hidden folders of apps. The
 * total is the usage plus the free space of the disk.
 */
function quota({store, user}: Call) {
  const {used, trashed} = quotaOf(store, user.id)
  const total = used + store.freeSpace()
  return {
    ...(total === Infinity
      ? {quotaType: 'UNLIMITED'}
      : {quotaType: 'LIMITED', quotaBytesTotal: String(total)}),
    quotaBytesUsed: String(used),
    quotaBytesUsedAggregate: String(used),
    quotaBytesUsedInTrash: String(trashed),
    quotaBytesByService: [{serviceName: 'DRIVE', bytesUsed: String(used)}],
  }
}

/** The number of the caller's changes from `startChangeId` on, at most `maxChangeIdCount`. Throws 400 for negative values. */
function remainingChanges({store, user, params}: Call<'about.get'>): number {
  const start = Number(params.startChangeId ?? 0)
  const limit = Number(params.maxChangeIdCount)
  if (start < 0) throw invalidValue('startChangeId')
  if (limit < 0) throw invalidValue('maxChangeIdCount')
  const following = {
    line: `user:${user.id}`,
    view: viewOf(params.includeSubscribed, false),
    removals: true,
  }
  return readChanges(store, following, start, Math.min(limit, MAX_REMAINING)).length
}
