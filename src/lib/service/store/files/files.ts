import type {Parameters, Value} from '#lib/service/store/database/database.js'
import {column, insertRow, updateRows} from '#lib/service/store/database/rows.js'
import type {Store} from '#lib/service/store/index.js'
import {searchWords, titleSortKey} from './words.js'

/** A file or folder as stored. Columns: `layout.ts`. */
interface FileColumns {
  readonly id: string
  readonly drive_id: string | null
  readonly owner_id: number | null
  readonly space: 'drive' | 'appDataFolder'
  readonly client_id: string | null
  readonly parent_id: string | null
  readonly inherits: number
  readonly title: string
  readonly mime_type: string
  readonly created_at: number
  readonly modified_at: number
  readonly modifier_id: number | null
  readonly trashed: number
  readonly explicitly_trashed: number
  readonly trashed_at: number | null
  readonly trasher_id: number | null
  readonly version: number
  readonly head_revision_id: string | null
  readonly quota_bytes: number
  readonly shortcut_target_id: string | null
  /** JSON of `FileDetails`. */
  readonly details: string
}

/** With what its head revision says of the content. */
export interface FileRow extends FileColumns {
  readonly blob_id: string | null
  readonly original_filename: string | null
  readonly size: number | null
  readonly md5: string | null
  readonly sha1: string | null
  readonly sha256: string | null
}

/** What a File record holds that no search looks at: its own fields under their wire names, and a few facts. */
export interface FileDetails {
  description?: string
  folderColorRgb?: string
  copyRequiresWriterPermission?: boolean
  writersCanShare?: boolean
  contentRestriction?: ContentRestriction
  clientEncryptionDetails?: object
  /** The stored name's extension that survives a title without one. */
  fullFileExtension?: string
  /** What a shortcut's target was when the shortcut was made. */
  targetMimeType?: string
  /** Read from the content itself; pixels. */
  image?: {width: number; height: number}
  /** Grows with every thumbnail that a caller sends; absent without one. */
  thumbnailVersion?: number
}

/** A lock on the content of a file. Without one there is none: a lifted lock is forgotten. */
export interface ContentRestriction {
  reason?: string
  ownerRestricted: boolean
  restrictingUserId: number
  /** Unix ms. */
  restrictionDate: number
}

/** What has an item, its shared drive or else its owner, over `files`: an index has it so. */
export const HOLDER = 'coalesce(drive_id, owner_id)'

/** What every reading of files starts with; conditions follow behind `WHERE` and name files as `f`. */
export const SELECT_FILE = `
  SELECT f.*, r.blob_id, r.original_filename, b.size, b.md5, b.sha1, b.sha256
  FROM files f
  LEFT JOIN revisions r ON r.file_id = f.id AND r.id = f.head_revision_id
  LEFT JOIN blobs b ON b.id = r.blob_id`

export function fileById(store: Store, id: string): FileRow | undefined {
  return store.get<FileRow>(`${SELECT_FILE} WHERE f.id = :id`, {id})
}

/** The items of these IDs that there are, by ID. */
export function filesByIds(store: Store, ids: readonly string[]): ReadonlyMap<string, FileRow> {
  if (ids.length === 0) return new Map()
  const rows = store.all<FileRow>(
    `${SELECT_FILE} WHERE f.id IN (SELECT value FROM json_each(:ids))`,
    {ids: JSON.stringify(ids)},
  )
  return new Map(rows.map(row => [row.id, row]))
}

/** How many bytes the files of a user count for, and those of them that are in the trash. */
export function quotaOf(store: Store, userId: number) {
  return store.get<{used: number; trashed: number}>(
    `SELECT coalesce(sum(quota_bytes), 0) AS used,
       coalesce(sum(quota_bytes) FILTER (WHERE trashed = 1), 0) AS trashed
     FROM files WHERE ${HOLDER} = :userId`,
    {userId},
  )!
}

export function detailsOf({details}: Pick<FileRow, 'details'>): FileDetails {
  return JSON.parse(details) as FileDetails
}

/** The item `:id` and all below it. */
export const SUBTREE = withBelow('SELECT :id, 0')

/** The items of the JSON list `:ids` and all below them; one below another comes twice. */
export const SUBTREES = withBelow('SELECT value, 0 FROM json_each(:ids)')

/** CROSS keeps SQLite from going through all files there are. */
function withBelow(tops: string, condition = ''): string {
  return `
  WITH RECURSIVE below(id, depth) AS (
    ${tops}
    UNION ALL
    SELECT f.id, below.depth + 1 FROM below CROSS JOIN files f ON f.parent_id = below.id ${condition}
  )`
}

/** The item itself and all below it, the nearest first. */
export function subtree(store: Store, id: string): string[] {
  return column(store, `${SUBTREE} SELECT id FROM below ORDER BY depth`, {id})
}

/** Adds an item; what is left out of its columns is as `layout.ts` has it. */
export function insertFile(
  store: Store,
  file: Partial<FileColumns> &
    Pick<FileColumns, 'id' | 'title' | 'mime_type' | 'created_at' | 'modified_at'>,
): void {
  insertRow(store, 'files', {...file, ...titleColumns(file)})
}

/** Writes these columns of an item, and what follows from its title. */
export function saveFile(store: Store, id: string, columns: Partial<FileColumns>): void {
  updateRows(store, 'files', {id}, {...columns, ...titleColumns(columns)})
}

function titleColumns({title}: Partial<FileColumns>) {
  return title === undefined
    ? {}
    : {title_key: titleSortKey(title), title_words: searchWords(title)}
}

/** All below an item that takes its permissions from it, without the item itself, the nearest first. */
export function inheritingBelow(store: Store, id: string): string[] {
  const tops = 'SELECT id, 1 FROM files WHERE parent_id = :id AND inherits = 1'
  const below = withBelow(tops, 'WHERE f.inherits = 1')
  return column(store, `${below} SELECT id FROM below ORDER BY depth`, {id})
}

/** What one user did with a file; dates in Unix ms. Columns: `layout.ts`. */
export interface UserFile {
  readonly starred: number
  readonly viewed_at: number | null
  readonly modified_at: number | null
  readonly shared_at: number | null
  readonly sharer_id: number | null
}

/** Of somebody who did nothing with it. */
export const NO_MARKS: UserFile = {
  starred: 0,
  viewed_at: null,
  modified_at: null,
  shared_at: null,
  sharer_id: null,
}

/** What a user did with these files, by ID; nothing for those with which it was nothing. */
export function userFilesOf(
  store: Store,
  userId: number,
  ids: readonly string[],
): ReadonlyMap<string, UserFile> {
  const rows = store.all<UserFile & {file_id: string}>(
    `SELECT * FROM user_files
     WHERE user_id = :userId AND file_id IN (SELECT value FROM json_each(:ids))`,
    {userId, ids: JSON.stringify(ids)},
  )
  return new Map(rows.map(row => [row.file_id, row]))
}

/** Notes what a user did with a file; what `state` does not name stays. */
export function setUserFile(
  store: Store,
  userId: number,
  fileId: string,
  state: Partial<Pick<UserFile, 'starred' | 'viewed_at' | 'modified_at'>>,
): void {
  const key = {user_id: userId, file_id: fileId}
  // The owner has a row for each own file, others where they did something with it.
  if (updateRows(store, 'user_files', key, state) > 0) return
  insertRow(store, 'user_files', {...key, ...state})
}

/** How many rows these queries have together; `limit + 1` where there are more than `limit`. */
export function countRows(
  store: Store,
  queries: readonly string[],
  limit: number,
  parameters: Parameters,
): number {
  const some = queries.map(query => `SELECT * FROM (${query})`).join(' UNION ALL ')
  return store.get<{count: number}>(
    `SELECT count(*) AS count FROM (${some || 'SELECT 1 WHERE FALSE'} LIMIT ${limit + 1})`,
    parameters,
  )!.count
}

/** What a query for one column, `edge`, has behind so many rows; `undefined` where it has no more. */
export function edgeAfter(
  store: Store,
  query: string,
  count: number,
  parameters: Parameters,
): Value | undefined {
  const text = `${query} LIMIT 1 OFFSET :count`
  return store.get<{edge: Value}>(text, {...parameters, count})?.edge
}

/** The first `limit` of the files that these queries find, each in the order of `orderBy`, with the columns of the queries. */
export function firstFiles(
  store: Store,
  queries: readonly string[],
  orderBy: (table: string) => string,
  limit: number,
  parameters: Parameters,
): ReadonlyArray<FileRow & Record<string, Value>> {
  if (queries.length === 0) return []
  const found = queries.map(query => `SELECT * FROM (${query} LIMIT :limit)`).join(' UNION ALL ')
  return store.all(
    `WITH page AS MATERIALIZED (${found} ORDER BY ${orderBy('')} LIMIT :limit)
    SELECT file.*, page.* FROM page CROSS JOIN (${SELECT_FILE}) file ON file.id = page.id
    ORDER BY ${orderBy('page.')}`,
    {...parameters, limit},
  )
}
