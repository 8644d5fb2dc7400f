import {oauthTables} from '../oauth/schema.js'
import {fileTables} from './schema.js'

/** The database knows whose directory it is, and which content files it has let go of. */
export const ownDirectory = `
-- The ID in the mark of the data directory (mark.ts): one row.
CREATE TABLE data_directory (
  key INTEGER PRIMARY KEY CHECK (key = 1),
  id TEXT NOT NULL
) STRICT;

-- Content whose file may still be there, since its process ended first; the next start removes it.
CREATE TABLE deleted_content (
  id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TRIGGER deleted_content_of_blobs AFTER DELETE ON blobs WHEN OLD.bytes IS NULL BEGIN
  INSERT OR IGNORE INTO deleted_content (id) VALUES (OLD.id);
END;
`

/** Attempts that are too old to count are found without looking through all of them. */
export const attemptsByTime = `
CREATE INDEX attempts_by_time ON attempts(at);
`

/** The layouts of the database by version, the oldest first. What stands here once never changes. */
export const layouts: readonly string[] = [fileTables + oauthTables, ownDirectory, attemptsByTime]
