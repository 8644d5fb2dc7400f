import {bytesIn} from '#lib/api/document/formats.js'
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

/** The most changes that `remainingChangeIds` counts, whatever was asked for (reference: resources.md, About). */
const MOST_REMAINING = 2500

/** The most bytes that files.insert takes, of any type. */
const UPLOAD_LIMIT = String(bytesIn(operation('files.insert').mediaUpload?.maxSize ?? ''))

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
 * What the user's files take, those in the trash and in apps' hidden folders among them. The limit
 * is the disk: what is free there is to be had on top.
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

/** How many of the caller's changes there are from `startChangeId` on, counted up to `maxChangeIdCount`. */
function remainingChanges({store, user, params}: Call<'about.get'>): number {
  const start = Number(params.startChangeId ?? 0)
  const most = Number(params.maxChangeIdCount)
  if (start < 0) throw invalidValue('startChangeId')
  if (most < 0) throw invalidValue('maxChangeIdCount')
  const following = {
    line: `user:${user.id}`,
    view: viewOf(params.includeSubscribed, false),
    removals: true,
  }
  return readChanges(store, following, start, Math.min(most, MOST_REMAINING)).length
}
