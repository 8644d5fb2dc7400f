import {insertRow, updateRows} from '#lib/service/store/database/rows.js'
import type {Store} from '#lib/service/store/index.js'

/** What one user did with a file; dates in Unix ms. Columns: `schema.ts`. */
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
