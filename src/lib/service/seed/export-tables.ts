import {groupBy} from '#lib/platform/values.js'
import {findRows} from '#lib/service/store/database/rows.js'
import type {FileRow, UserFile} from '#lib/service/store/files/files.js'
import type {LabelRow} from '#lib/service/store/files/labels.js'
import type {PropertyRow} from '#lib/service/store/files/properties.js'
import type {RevisionRow} from '#lib/service/store/files/revisions.js'
import type {Store} from '#lib/service/store/index.js'
import type {User} from '#lib/service/store/users.js'
import type {ContentExport} from './export-content.js'

/** All rows of items, read at once. */
export interface ItemTables {
  readonly content: ContentExport
  readonly users: ReadonlyMap<number, User>
  readonly files: ReadonlyMap<string, StoredFile>
  readonly children: ReadonlyMap<string, readonly StoredFile[]>
  readonly revisions: ReadonlyMap<string, readonly RevisionRow[]>
  readonly permissions: ReadonlyMap<string, readonly PermissionRow[]>
  readonly properties: ReadonlyMap<string, readonly PropertyRow[]>
  readonly labels: ReadonlyMap<string, readonly LabelRow[]>
  readonly marks: ReadonlyMap<string, readonly MarksRow[]>
  readonly thumbnails: ReadonlyMap<string, readonly ThumbnailRow[]>
  readonly words: ReadonlyMap<string, readonly WordsRow[]>
}

/** An item without the columns of its head revision. */
export type StoredFile = Omit<
  FileRow,
  'blob_id' | 'original_filename' | 'size' | 'md5' | 'sha1' | 'sha256'
>

interface PermissionRow {
  readonly file_id: string
  readonly type: 'user' | 'group' | 'domain' | 'anyone'
  readonly role: 'organizer' | 'fileOrganizer' | 'writer' | 'reader'
  readonly commenter: number
  readonly email: string | null
  readonly domain: string | null
  readonly with_link: number
  readonly expires_at: number | null
  readonly pending_owner: number
}

type MarksRow = UserFile & {readonly user_id: number; readonly file_id: string}
type ThumbnailRow = {readonly file_id: string; readonly blob_id: string; readonly mime_type: string}
type WordsRow = {readonly file_id: string; readonly given: string; readonly content: string}

/** Reads all rows of items. */
export function readItemTables(store: Store, content: ContentExport): ItemTables {
  const byFile = <Row extends {readonly file_id: string}>(table: string, order: string) =>
    groupBy(findRows<Row>(store, table, {}, order), row => row.file_id)
  const files = findRows<StoredFile>(store, 'files', {}, 'title_key, id')
  return {
    content,
    users: new Map(findRows<User>(store, 'users', {}, 'id').map(user => [user.id, user])),
    files: new Map(files.map(file => [file.id, file])),
    children: groupBy(files, file => file.parent_id ?? ''),
    revisions: byFile<RevisionRow & {file_id: string}>('revisions', 'number'),
    permissions: byFile<PermissionRow>('permissions', 'id'),
    properties: byFile<PropertyRow & {file_id: string}>('properties', 'key, visibility, client_id'),
    labels: byFile<LabelRow & {file_id: string}>('file_labels', 'label_id'),
    marks: byFile<MarksRow>('user_files', 'user_id'),
    thumbnails: byFile<ThumbnailRow>('thumbnails', 'file_id'),
    words: byFile<WordsRow>('file_words', 'file_id'),
  }
}
