import type {Parameters, SqlValue} from '#lib/service/store/database/database.js'
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

/** A file with the content columns of its head revision. */
export interface FileRow extends FileColumns {
  readonly blob_id: string | null
  readonly original_filename: string | null
  readonly size: number | null
  readonly md5: string | null
  readonly sha1: string | null
  readonly sha256: string | null
}

/** Fields of a File record that searches do not use, under their names in the API, and data derived from the content. */
export interface FileDetails {
  description?: string
  folderColorRgb?: string
  copyRequiresWriterPermission?: boolean
  writersCanShare?: boolean
  contentRestriction?: ContentRestriction
  clientEncryptionDetails?: object
  /** The file extension. It stays if a new title has none. */
  fullFileExtension?: string
  /** The media type of a shortcut's target when the shortcut was created. */
  targetMimeType?: string
  /** The size of an image in pixels, from its content. */
  image?: {width: number; height: number}
  /** Incremented by every uploaded thumbnail; missing without one. */
  thumbnailVersion?: number
}

/** A lock on the content of a file. */
export interface ContentRestriction {
  reason?: string
  ownerRestricted: boolean
  restrictingUserId: number
  /** Unix ms. */
  restrictionDate: number
}

/** The holder of an item in `files`: its shared drive, or else its owner. The same expression as in the indexes. */
export const HOLDER = 'coalesce(drive_id, owner_id)'

/** The start of every query for files. Append `WHERE` conditions on `f`. */
export const SELECT_FILE = `
  SELECT f.*, r.blob_id, r.original_filename, b.size, b.md5, b.sha1, b.sha256
  FROM files f
  LEFT JOIN revisions r ON r.file_id = f.id AND r.id = f.head_revision_id
  LEFT JOIN blobs b ON b.id = r.blob_id`

export function fileById(store: Store, id: string): FileRow | undefined {
  return store.get<FileRow>(`${SELECT_FILE} WHERE f.id = :id`, {id})
}

/** The existing items among these IDs, by ID. */
export function filesByIds(store: Store, ids: readonly string[]): ReadonlyMap<string, FileRow> {
  if (ids.length === 0) return new Map()
  const rows = store.all<FileRow>(
    `${SELECT_FILE} WHERE f.id IN (SELECT value FROM json_each(:ids))`,
    {ids: JSON.stringify(ids)},
  )
  return new Map(rows.map(row => [row.id, row]))
}

/** The size of a user's files that counts toward the quota, and the part of it in the trash, in bytes. */
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

/** The item `:id` and everything below it. */
export const SUBTREE = withBelow('SELECT :id, 0')

/** The items of the JSON list `:ids` and everything below them. An item below another one of the list appears twice. */
export const SUBTREES = withBelow('SELECT value, 0 FROM json_each(:ids)')

/** CROSS keeps SQLite from scanning all files. */
function withBelow(roots: string, condition = ''): string {
  return `
  WITH RECURSIVE below(id, depth) AS (
    ${roots}
    UNION ALL
    SELECT f.id, below.depth + 1 FROM below CROSS JOIN files f ON f.parent_id = below.id ${condition}
  )`
}

/** The IDs of an item and everything below it, nearest first. */
export function subtree(store: Store, id: string): string[] {
  return column(store, `${SUBTREE} SELECT id FROM below ORDER BY depth`, {id})
}

/** Inserts an item. Missing columns get the defaults of `layout.ts`. */
export function insertFileRow(
  store: Store,
  file: Partial<FileColumns> &
    Pick<FileColumns, 'id' | 'title' | 'mime_type' | 'created_at' | 'modified_at'>,
): void {
  insertRow(store, 'files', {...file, ...titleColumns(file)})
}

/** Updates columns of an item, and those derived from its title. */
export function saveFile(store: Store, id: string, columns: Partial<FileColumns>): void {
  updateRows(store, 'files', {id}, {...columns, ...titleColumns(columns)})
}

function titleColumns({title}: Partial<FileColumns>) {
  return title === undefined
    ? {}
    : {title_key: titleSortKey(title), title_words: searchWords(title)}
}

/** The IDs of everything below an item that inherits its permissions, without the item itself, nearest first. */
export function inheritingBelow(store: Store, id: string): string[] {
  const roots = 'SELECT id, 1 FROM files WHERE parent_id = :id AND inherits = 1'
  const below = withBelow(roots, 'WHERE f.inherits = 1')
  return column(store, `${below} SELECT id FROM below ORDER BY depth`, {id})
}

/** The marks of a user on a file; dates are in Unix ms. Columns: `layout.ts`. */
export interface UserFile {
  readonly starred: number
  readonly viewed_at: number | null
  readonly modified_at: number | null
  readonly shared_at: number | null
  readonly sharer_id: number | null
}

/** The marks of a user without a row. */
export const NO_MARKS: UserFile = {
  starred: 0,
  viewed_at: null,
  modified_at: null,
  shared_at: null,
  sharer_id: null,
}

/** The marks of a user on these files, by ID. Files without a row are missing. */
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

/** Updates the marks of a user on a file. Columns that are missing in `state` stay unchanged. */
export function setUserFile(
  store: Store,
  userId: number,
  fileId: string,
  state: Partial<Pick<UserFile, 'starred' | 'viewed_at' | 'modified_at'>>,
): void {
  const key = {user_id: userId, file_id: fileId}
  // Owners always have a row, other users only if they have marks.
  if (updateRows(store, 'user_files', key, state) > 0) return
  insertRow(store, 'user_files', {...key, ...state})
}

/** The total number of rows of these queries, at most `limit + 1`. */
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

/** The value of the column `edge` in the row after the first `count` rows; `undefined` without such a row. */
export function edgeAfter(
  store: Store,
  query: string,
  count: number,
  parameters: Parameters,
): SqlValue | undefined {
  const text = `${query} LIMIT 1 OFFSET :count`
  return store.get<{edge: SqlValue}>(text, {...parameters, count})?.edge
}

/** The first `limit` files of these queries in the order of `orderBy`, with the columns of the queries. Each query must have this order. */
export function firstFiles(
  store: Store,
  queries: readonly string[],
  orderBy: (table: string) => string,
  limit: number,
  parameters: Parameters,
): ReadonlyArray<FileRow & Record<string, SqlValue>> {
  if (queries.length === 0) return []
  const found = queries.map(query => `SELECT * FROM (${query} LIMIT :limit)`).join(' UNION ALL ')
  return store.all(
    `WITH page AS MATERIALIZED (${found} ORDER BY ${orderBy('')} LIMIT :limit)
    SELECT file.*, page.* FROM page CROSS JOIN (${SELECT_FILE}) file ON file.id = page.id
    ORDER BY ${orderBy('page.')}`,
    {...parameters, limit},
  )
}
