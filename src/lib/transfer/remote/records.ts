import {parentIds} from '#lib/api/reached.js'
import {isObject} from '#lib/api/validate.js'
import {EDITOR_TYPE_PREFIX, FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'
import type {Client, Page, ParameterTexts} from '#lib/client/client.js'
import {ProtocolError, ServiceError} from '#lib/client/errors.js'
import {recordsOf} from '#lib/client/pages.js'
import {entryKindText, type RemoteEntry} from '#lib/transfer/tree/entries.js'
import type {FileRecord} from '#lib/transfer/types.js'
import type {ResolveCandidate} from './resolve-error.js'

/** Records of files, and requests for them, as far as trees need them. */

/** Fields to request for each entry. */
export const ENTRY_FIELDS =
  'id,title,mimeType,fileSize,md5Checksum,createdDate,modifiedDate,exportLinks,driveId,shortcutDetails(targetId)'

/** Parameters that make every operation work in shared drives too. */
export const ALL_DRIVES: ParameterTexts = {supportsAllDrives: 'true'}

/** What to search for: entries in any of some folders, with any of some titles. */
export interface Search {
  readonly folderIds?: readonly string[]
  readonly titles?: readonly string[]
  /** The shared drive to search. */
  readonly driveId?: string
  /** Whether to include trashed entries. */
  readonly isTrashToo?: boolean
  /** Additional conditions in the search language. */
  readonly terms?: readonly string[]
  /** Fields of each entry (default: those of trees); must include its location. */
  readonly fields?: string
}

const SEARCH_FIELDS = `${ENTRY_FIELDS},sharedWithMeDate,labels/trashed,parents(id,isRoot)`

/** The parameters of a list, without trashed entries by default, including the parents of each entry. */
export function searchParameters(search: Search): ParameterTexts {
  const {folderIds, titles, driveId, isTrashToo, fields = SEARCH_FIELDS} = search
  const terms = [
    ...(isTrashToo ? [] : ['trashed = false']),
    ...(folderIds ? [queryAnyOf(folderIds, id => `${queryValue(id)} in parents`)] : []),
    ...(titles ? [queryAnyOf(titles, title => `title = ${queryValue(title)}`)] : []),
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

/** Alternatives in parentheses: `and` and `or` have the same precedence (reference: protocols.md, section 5). */
export function queryAnyOf(values: readonly string[], term: (value: string) => string): string {
  const terms = [...new Set(values)].map(term)
  return terms.length === 1 ? terms[0]! : `(${terms.join(' or ')})`
}

/** A quoted value in a query (reference: protocols.md, section 5). */
export function queryValue(value: string): string {
  return `'${value.replace(/[\\']/g, '\\$&')}'`
}

/** An entry of a list, with the IDs of its parents as far as known. */
export interface EntryInFolders {
  readonly entry: RemoteEntry
  readonly parents: readonly unknown[]
  readonly record: Page
}

/** The entries of a page. Throws `ProtocolError` for an invalid page. */
export function entriesInFolders(page: Page): EntryInFolders[] {
  return recordsOf(page).map(record => ({
    entry: entryOf(record),
    parents: parentIds(record),
    record,
  }))
}

/** A file's record as an entry of a tree. Throws `ProtocolError` if it lacks required fields. */
export function entryOf(record: Page): RemoteEntry {
  const {id, title, mimeType} = record
  if (typeof id !== 'string' || id === '') {
    throw new ProtocolError('The service returned a file without an ID.')
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
    return {kind: 'other', ...named, what: 'a shortcut', ...led, mimeType: type}
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
      mimeType: type,
    }
  }
  const size = Number(record.fileSize ?? 0)
  if (!Number.isSafeInteger(size) || size < 0) {
    throw new ProtocolError(`The service returned an invalid size for the file ${id}.`)
  }
  return {
    kind: 'file',
    ...named,
    size,
    ...(typeof record.md5Checksum === 'string' && {md5: record.md5Checksum.toLowerCase()}),
    ...modified,
    ...(type !== '' && {mimeType: type}),
  }
}

/** Milliseconds since 1970; `undefined` for an invalid date. */
function dateOf(date: unknown): number | undefined {
  const milliseconds = Date.parse(String(date))
  return Number.isNaN(milliseconds) ? undefined : milliseconds
}

/** A found entry as a candidate for an ambiguous path. */
export function candidateOf({entry, record}: EntryInFolders, path: string): ResolveCandidate {
  const {modifiedDate} = record
  return {
    id: entry.id,
    kind: entryKindText(entry),
    path,
    ...(entry.kind === 'file' && {size: entry.size}),
    ...(typeof modifiedDate === 'string' && {date: modifiedDate}),
  }
}

/**
 * `md5Checksum`, `fileSize` and `modifiedDate` of a revision; `undefined` if the account may read the
 * content but not the list of revisions.
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
