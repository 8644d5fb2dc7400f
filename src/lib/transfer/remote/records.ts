import {isObject} from '#lib/api/validate.js'
import {EDITOR_TYPE_PREFIX, FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'
import type {Client, Page, ParameterTexts} from '#lib/client/client.js'
import {ProtocolError, ServiceError} from '#lib/client/errors.js'
import {recordsOf} from '#lib/client/pages.js'
import {type RemoteEntry, wordFor} from '#lib/transfer/tree/entries.js'
import type {FileRecord} from '#lib/transfer/types.js'
import type {Candidate} from './resolve-error.js'

/** The service's records of files, and the requests for them, as far as trees need them. */

/** What is asked of each file. */
export const ENTRY_FIELDS =
  'id,title,mimeType,fileSize,md5Checksum,createdDate,modifiedDate,exportLinks,driveId,shortcutDetails(targetId)'

/** Parameters that let every operation work in shared drives too. */
export const ALL_DRIVES: ParameterTexts = {supportsAllDrives: 'true'}

/** What a list is to have: things that are in any of some folders, that have any of some titles. */
export interface Search {
  readonly folderIds?: readonly string[]
  readonly titles?: readonly string[]
  /** The shared drive that all of it is in. */
  readonly driveId?: string
  /** What is in the trash as well. */
  readonly isTrashToo?: boolean
  /** Conditions of the search language that hold besides. */
  readonly terms?: readonly string[]
  /** What is asked of each thing, with what tells where it is; what trees need unless given. */
  readonly fields?: string
}

const SEARCH_FIELDS = `${ENTRY_FIELDS},sharedWithMeDate,labels/trashed,parents(id,isRoot)`

/** The parameters of a list of what is not in the trash, with the folders that each thing is in. */
export function searchParameters(search: Search): ParameterTexts {
  const {folderIds, titles, driveId, isTrashToo, fields = SEARCH_FIELDS} = search
  const terms = [
    ...(isTrashToo ? [] : ['trashed = false']),
    ...(folderIds ? [anyOf(folderIds, id => `${quoted(id)} in parents`)] : []),
    ...(titles ? [anyOf(titles, title => `title = ${quoted(title)}`)] : []),
    ...(search.terms ?? []),
  ]
  return {
    q: terms.join(' and '),
    maxResults: '1000',
    fields: `nextPageToken,items(${fields})`,
    ...ALL_DRIVES,
    includeItemsFromAllDrives: 'true',
    ...(driveId !== undefined && {corpora: 'drive', driveId}),
  }
}

/** In brackets: `and` and `or` bind alike (reference: protocols.md, section 5). */
export function anyOf(values: readonly string[], term: (value: string) => string): string {
  const terms = [...new Set(values)].map(term)
  return terms.length === 1 ? terms[0]! : `(${terms.join(' or ')})`
}

/** A value in a query (reference: protocols.md, section 5). */
export function quoted(value: string): string {
  return `'${value.replace(/[\\']/g, '\\$&')}'`
}

/** Something in a list, with the IDs of the folders it is in, as far as the service tells. */
export interface EntryInFolders {
  readonly entry: RemoteEntry
  readonly parents: readonly unknown[]
  readonly record: Page
}

/** The entries of a page of a list. Throws `ProtocolError` for what is no such page. */
export function entriesInFolders(page: Page): EntryInFolders[] {
  return recordsOf(page).map(record => ({
    entry: entryOf(record),
    parents: parentIds(record),
    record,
  }))
}

/** The IDs of the folders that a file is in, as far as its record tells. */
export function parentIds({parents}: Page): unknown[] {
  return Array.isArray(parents) ? parents.filter(isObject).map(({id}) => id) : []
}

/** A file's record as an entry of a tree. Throws `ProtocolError` where it lacks what every file has. */
export function entryOf(record: Page): RemoteEntry {
  const {id, title, mimeType} = record
  if (typeof id !== 'string' || id === '') {
    throw new ProtocolError('The service sent a file without an ID.')
  }
  const created = dateOf(record.createdDate)
  const named = {
    id,
    title: typeof title === 'string' ? title : id,
    ...(created !== undefined && {created}),
  }
  const type = typeof mimeType === 'string' ? mimeType : ''
  if (type === FOLDER_TYPE) return {kind: 'folder', ...named}
  if (type === SHORTCUT_TYPE) {
    const target = isObject(record.shortcutDetails) ? record.shortcutDetails.targetId : undefined
    const led = typeof target === 'string' ? {target} : {}
    return {kind: 'other', ...named, what: 'a shortcut', ...led}
  }
  const date = dateOf(record.modifiedDate)
  const modified = date === undefined ? {} : {modified: date}
  if (type.startsWith(EDITOR_TYPE_PREFIX)) {
    const exports = isObject(record.exportLinks) ? Object.keys(record.exportLinks) : undefined
    return {
      kind: 'other',
      ...named,
      what: 'an editor document',
      ...(exports && {exports}),
      ...modified,
    }
  }
  const size = Number(record.fileSize ?? 0)
  if (!Number.isSafeInteger(size) || size < 0) {
    throw new ProtocolError(`The service sent a file size that is none, for the file ${id}.`)
  }
  return {
    kind: 'file',
    ...named,
    size,
    ...(typeof record.md5Checksum === 'string' && {md5: record.md5Checksum.toLowerCase()}),
    ...modified,
  }
}

/** In milliseconds since 1970; `undefined` for what is no date. */
function dateOf(date: unknown): number | undefined {
  const milliseconds = Date.parse(String(date))
  return Number.isNaN(milliseconds) ? undefined : milliseconds
}

/** Something found as one of those that a place may mean. */
export function candidateOf({entry, record}: EntryInFolders, path: string): Candidate {
  const {modifiedDate} = record
  return {
    id: entry.id,
    kind: wordFor(entry),
    path,
    ...(entry.kind === 'file' && {size: entry.size}),
    ...(typeof modifiedDate === 'string' && {date: modifiedDate}),
  }
}

/**
 * What is known of the content of a revision: `md5Checksum`, `fileSize`, `modifiedDate`. Nothing
 * where the account may read the content, but not the list of revisions.
 */
export async function revisionFacts(
  client: Pick<Client, 'call'>,
  fileId: string,
  revisionId: string,
): Promise<FileRecord | undefined> {
  try {
    return await client.call('revisions.get', {params: {fileId, revisionId}})
  } catch (error) {
    if (error instanceof ServiceError && [403, 404].includes(error.status)) return undefined
    throw error
  }
}
