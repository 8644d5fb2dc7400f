import {EDITOR_TYPE_PREFIX, FOLDER_TYPE, SHORTCUT_TYPE} from '../../api/wire.js'
import type {Page, ParameterTexts} from '../../client/client.js'
import {ProtocolError} from '../../client/errors.js'
import type {RemoteEntry} from './entries.js'

/** The service's records of files, and the requests for them, as far as trees need them. */

/** What is asked of each file. */
export const ENTRY_FIELDS = 'id,title,mimeType,fileSize,md5Checksum,modifiedDate,driveId'

/** Parameters that let every operation work in shared drives too. */
export const ALL_DRIVES: ParameterTexts = {supportsAllDrives: 'true'}

/** The parameters of a list of what is in a folder; `driveId` where that is in a shared drive. */
export function childrenParameters(
  folderId: string,
  {title, driveId}: {readonly title?: string; readonly driveId?: string},
): ParameterTexts {
  const named = title === undefined ? '' : ` and title = ${quoted(title)}`
  return {
    q: `${quoted(folderId)} in parents and trashed = false${named}`,
    maxResults: '1000',
    fields: `nextPageToken,items(${ENTRY_FIELDS})`,
    ...ALL_DRIVES,
    includeItemsFromAllDrives: 'true',
    ...(driveId !== undefined && {corpora: 'drive', driveId}),
  }
}

/** A value in a query (reference: protocols.md, section 5). */
function quoted(value: string): string {
  return `'${value.replace(/[\\']/g, '\\$&')}'`
}

/** The entries of a page of a list. Throws `ProtocolError` for what is no such page. */
export function entriesOf({items}: Page): RemoteEntry[] {
  if (items === undefined) return []
  if (!Array.isArray(items)) throw new ProtocolError('The service sent a list without items.')
  return items.map(item => entryOf(item as Page))
}

/** A file's record as an entry of a tree. Throws `ProtocolError` where it lacks what every file has. */
export function entryOf(record: Page): RemoteEntry {
  const {id, title, mimeType} = record
  if (typeof id !== 'string' || id === '') {
    throw new ProtocolError('The service sent a file without an ID.')
  }
  const named = {id, title: typeof title === 'string' ? title : id}
  const type = typeof mimeType === 'string' ? mimeType : ''
  if (type === FOLDER_TYPE) return {kind: 'folder', ...named}
  if (type === SHORTCUT_TYPE) return {kind: 'other', ...named, what: 'a shortcut'}
  if (type.startsWith(EDITOR_TYPE_PREFIX)) {
    return {kind: 'other', ...named, what: 'an editor document'}
  }
  const size = Number(record.fileSize ?? 0)
  if (!Number.isSafeInteger(size) || size < 0) {
    throw new ProtocolError(`The service sent a file size that is none, for the file ${id}.`)
  }
  const modified = Date.parse(String(record.modifiedDate))
  return {
    kind: 'file',
    ...named,
    size,
    ...(typeof record.md5Checksum === 'string' && {md5: record.md5Checksum.toLowerCase()}),
    ...(!Number.isNaN(modified) && {modified}),
  }
}
