import {oauthTables} from '#lib/service/oauth/store/schema.js'
import {fileTables} from './schema.js'
import {searchIndexes} from './searchlayout.js'

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

/**
 * A line of changes keeps what it says of an item for each view of it (`VIEW` in audience.ts), so
 * that who follows a narrow one learns that an item has left it. What followers read so far stays
 * as it is, under the same numbers.
 */
export const changesByView = `
-- One row for each item, audience and view that says something of its own: a newer change takes the
-- older one's place. A follower sees of an item's rows the one of the widest view that is not wider
-- than the follower's.
CREATE TABLE changes_by_view (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  audience TEXT NOT NULL,                   -- 'user:<id>' or 'drive:<id>'
  type TEXT NOT NULL,                       -- file | drive
  item_id TEXT NOT NULL,
  seen_from INTEGER NOT NULL,               -- the narrowest view that shows this row
  drive_id TEXT,                            -- where the item is; of a removal, where it was
  space TEXT NOT NULL DEFAULT 'drive',
  top_id TEXT NOT NULL,                     -- the top folder above the item, likewise
  client_id TEXT,                           -- the app that made the item
  removed INTEGER NOT NULL DEFAULT 0,
  changed_at INTEGER NOT NULL,
  UNIQUE (audience, type, item_id, seen_from)
) STRICT;

INSERT INTO changes_by_view
  (id, audience, type, item_id, seen_from, drive_id, space, top_id, client_id, removed, changed_at)
SELECT c.id, c.audience, c.type, c.item_id,
  CASE WHEN u.id IS NULL OR c.drive_id IS NOT NULL THEN 3 WHEN c.top_id = u.root_id THEN 1 ELSE 2 END,
  c.drive_id, c.space, c.top_id, c.client_id, c.removed, c.changed_at
FROM changes c
LEFT JOIN users u ON c.audience LIKE 'user:%' AND u.id = CAST(substr(c.audience, 6) AS INTEGER)
ORDER BY c.id;

-- The next number follows on the last one that was given, also where its row is gone.
DELETE FROM sqlite_sequence WHERE name = 'changes_by_view';
INSERT INTO sqlite_sequence (name, seq)
SELECT 'changes_by_view', seq FROM sqlite_sequence WHERE name = 'changes';

DROP TABLE changes;
ALTER TABLE changes_by_view RENAME TO changes;
CREATE INDEX changes_by_line ON changes(audience, id);

UPDATE channels SET params = json_set(
  json_remove(params, '$.sharedDrives'), '$.view', iif(params ->> 'sharedDrives', 3, 2))
WHERE audience IS NOT NULL;
`

/** IDs of users that were deleted: nobody gets one again. */
export const deletedUsers = `
CREATE TABLE deleted_users (
  id INTEGER PRIMARY KEY,
  deleted_at INTEGER NOT NULL
) STRICT;
`

/** Without it each file that is deleted costs a look at all that anybody ever did with any file. */
export const marksByFile = 'CREATE INDEX user_files_by_file ON user_files(file_id);'

/** Without it each change of a file costs a look at all messages that wait for anybody. */
const messagesByChannel = 'CREATE INDEX messages_by_channel ON messages(channel_key, key);'

/** The layouts of the database by version, the oldest first. What stands here once never changes. */
export const layouts: readonly string[] = [
  fileTables + oauthTables,
  ownDirectory,
  attemptsByTime,
  changesByView,
  deletedUsers,
  marksByFile,
  searchIndexes,
  messagesByChannel,
]
