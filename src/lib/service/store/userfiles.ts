import type {Store} from './index.js'

/** What one user did with a file; dates in Unix ms. Columns: `schema.ts`. */
export interface UserFile {
  readonly starred: number
  readonly viewed_at: number | null
  readonly modified_at: number | null
  readonly shared_at: number | null
  readonly sharer_id: number | null
}

/** Of somebody who did nothing with it. */
const NO_MARKS: UserFile = {
  starred: 0,
  viewed_at: null,
  modified_at: null,
  shared_at: null,
  sharer_id: null,
}

export function userFile(store: Store, userId: number, fileId: string): UserFile {
  return (
    store.get<UserFile>('SELECT * FROM user_files WHERE user_id = :userId AND file_id = :fileId', {
      userId,
      fileId,
    }) ?? NO_MARKS
  )
}

/** Notes what a user did with a file; what `state` does not name stays. */
export function setUserFile(
  store: Store,
  userId: number,
  fileId: string,
  state: Partial<Pick<UserFile, 'starred' | 'viewed_at' | 'modified_at'>>,
): void {
  const {starred, viewed_at, modified_at} = {...pick(userFile(store, userId, fileId)), ...state}
  store.run(
    `INSERT INTO user_files (user_id, file_id, starred, viewed_at, modified_at)
     VALUES (:userId, :fileId, :starred, :viewed, :modified)
     ON CONFLICT (user_id, file_id) DO UPDATE
     SET starred = :starred, viewed_at = :viewed, modified_at = :modified`,
    {userId, fileId, starred, viewed: viewed_at, modified: modified_at},
  )
}

function pick({starred, viewed_at, modified_at}: UserFile) {
  return {starred, viewed_at, modified_at}
}
