import {oauthTables} from '../oauth/schema.js'
import {fileTables} from './schema.js'

/** IDs of users that were deleted: nobody gets one again. */
const deletedUsers = `
CREATE TABLE deleted_users (
  id INTEGER PRIMARY KEY,
  deleted_at INTEGER NOT NULL
) STRICT;
`

/** Without it each file that is deleted costs a look at all that anybody ever did with any file. */
const marksByFile = 'CREATE INDEX user_files_by_file ON user_files(file_id);'

/** The layouts of a database by version, oldest first: each makes the next one out of the one before. */
export const layouts: readonly string[] = [fileTables + oauthTables, deletedUsers, marksByFile]
