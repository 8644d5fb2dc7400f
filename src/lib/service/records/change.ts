import {type Selection, selectionOf} from '#lib/api/fields.js'
import type {Call} from '#lib/service/call.js'
import type {ChangeRow} from '#lib/service/store/changes.js'
import type {ChannelRow} from '#lib/service/store/channels.js'
import {findDrive} from '#lib/service/store/drives.js'
import {filesByIds} from '#lib/service/store/files/files.js'
import {tokenReaches} from '#lib/service/store/sharing/access.js'
import {link, present, timestamp} from './common.js'
import {driveRecord, teamDriveRecord} from './drive.js'
import {fileRecord} from './file.js'
import {lookupsFor} from './lookups.js'

/** Options of Change records. */
export interface ChangeView {
  /** The shared drive whose changes are listed; `undefined` for those of the caller. */
  readonly driveId?: string
  /** Include the file of an item that left the list, as long as the caller can access it. */
  readonly includeCorpusRemovals: boolean
}

/**
 * The Change record of an entry (reference: resources.md, Change): `deleted` if the caller cannot
 * access the item, `undefined` if the token must not see it.
 */
export function changeRecord(
  call: Call,
  row: ChangeRow,
  view: ChangeView,
  fields: Selection | undefined,
  items = changedItems(call, [row]),
) {
  const location = {...row, parent_id: row.top_id === row.item_id ? null : row.top_id}
  if (!tokenReaches(call, location)) return undefined
  if (row.drive_id !== null && call.closedDrives?.has(row.drive_id)) return undefined
  const selfLink = link(call.origin, 'changes', String(row.id))
  return {
    kind: 'drive#change',
    id: String(row.id),
    selfLink: view.driveId ? `${selfLink}?driveId=${encodeURIComponent(view.driveId)}` : selfLink,
    changeType: row.type,
    type: row.type,
    modificationDate: timestamp(row.changed_at),
    ...(row.drive_id !== null && {driveId: row.drive_id, teamDriveId: row.drive_id}),
    ...(row.type === 'drive'
      ? driveFields(call, row)
      : fileFields(call, row, view, selectionOf(fields, 'file'), items)),
  }
}

/** The current files of these entries, with the lookups for their records. */
export function changedItems(call: Call, rows: readonly ChangeRow[]) {
  const ids = rows.filter(({type}) => type === 'file').map(row => row.item_id)
  const files = filesByIds(call.store, ids)
  return {files, lookups: lookupsFor(call, [...files.values()])}
}

/** The current item of a change; without `file` and `drive` if it is `deleted`. */
interface Item {
  readonly deleted: boolean
  readonly fileId?: string
  readonly file?: Readonly<Record<string, unknown>>
  readonly drive?: object
  readonly teamDrive?: object
}

function driveFields(call: Call, row: ChangeRow): Item {
  const drive = row.removed ? undefined : findDrive(call, row.item_id)
  if (!drive) return {deleted: true}
  const record = driveRecord(call, drive)
  return {deleted: false, drive: record, teamDrive: teamDriveRecord(drive, record)}
}

function fileFields(
  call: Call,
  row: ChangeRow,
  {includeCorpusRemovals}: ChangeView,
  fields: Selection | undefined,
  {files, lookups}: ReturnType<typeof changedItems>,
): Item {
  const file = files.get(row.item_id)
  // A removed item may have moved elsewhere.
  const isClosed = call.closedDrives?.has(file?.drive_id ?? '')
  const role = file && !isClosed ? lookups.role(file) : undefined
  const deleted = row.removed === 1 || !role
  const shown = file && role && (!deleted || includeCorpusRemovals)
  return {
    fileId: row.item_id,
    deleted,
    ...(shown && {file: fileRecord(call, {...file, role}, fields, lookups)}),
  }
}

/** The Channel record in the response of a watch operation (reference: resources.md, Channel). */
export function channelRecord(channel: ChannelRow) {
  return {
    kind: 'api#channel',
    id: channel.id,
    resourceId: channel.resource_id,
    resourceUri: channel.resource_uri,
    ...present({token: channel.token}),
    expiration: String(channel.expires_at),
    payload: channel.payload === 1,
  }
}
