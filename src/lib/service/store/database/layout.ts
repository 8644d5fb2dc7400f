import {DataError} from '#lib/platform/setup-error.js'
import {searchTables} from './search-layout.js'
import {renewalTables, signInTables} from './sign-in-layout.js'

/** The tables of the file service. Times are Unix milliseconds, booleans 0 or 1, JSON is text. */
const fileTables = `
-- The ID in the mark of the data directory: one row.
CREATE TABLE data_directory (
  key INTEGER PRIMARY KEY CHECK (key = 1),
  id TEXT NOT NULL
) STRICT;

CREATE TABLE users (
  id INTEGER PRIMARY KEY,
  login TEXT NOT NULL UNIQUE COLLATE NOCASE,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE COLLATE NOCASE,
  permission_id TEXT NOT NULL UNIQUE,
  root_id TEXT NOT NULL UNIQUE,
  email_verified INTEGER NOT NULL DEFAULT 1,
  suspended INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- IDs of users that were deleted: nobody gets one again.
CREATE TABLE deleted_users (
  id INTEGER PRIMARY KEY,
  deleted_at INTEGER NOT NULL
) STRICT;

CREATE TABLE drives (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  creator_id INTEGER NOT NULL REFERENCES users(id),
  request_id TEXT NOT NULL,
  theme_id TEXT,                            -- NULL once colour or background were set by themselves
  color_rgb TEXT NOT NULL,
  background TEXT,                          -- JSON: BackgroundImage
  restrictions TEXT NOT NULL DEFAULT '{}',  -- JSON: Restrictions
  UNIQUE (creator_id, request_id)
) STRICT;

CREATE TABLE hidden_drives (
  user_id INTEGER NOT NULL,
  drive_id TEXT NOT NULL REFERENCES drives(id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, drive_id)
) STRICT, WITHOUT ROWID;

-- Content that was received whole; its bytes lie here or in a file of the same id.
CREATE TABLE blobs (
  id TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  md5 TEXT NOT NULL,
  sha1 TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  bytes BLOB
) STRICT;

-- Content whose file may still be there, since its process ended first; the next start removes it.
CREATE TABLE deleted_content (
  id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TRIGGER deleted_content_of_blobs AFTER DELETE ON blobs WHEN OLD.bytes IS NULL BEGIN
  INSERT OR IGNORE INTO deleted_content (id) VALUES (OLD.id);
END;

CREATE TABLE files (
  id TEXT PRIMARY KEY,
  drive_id TEXT REFERENCES drives(id),      -- NULL in My Drive
  owner_id INTEGER REFERENCES users(id),    -- NULL in a shared drive
  space TEXT NOT NULL DEFAULT 'drive',      -- drive | appDataFolder
  client_id TEXT,                           -- the app that made it
  parent_id TEXT REFERENCES files(id),      -- NULL for the roots of drives
  inherits INTEGER NOT NULL DEFAULT 1,      -- 0: permissions of the folders above do not count
  title TEXT NOT NULL,
  title_key TEXT NOT NULL,                  -- for '=' in searches and for sorting: see words.ts
  title_words TEXT NOT NULL,                -- for 'contains' in searches: see words.ts
  mime_type TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  modifier_id INTEGER REFERENCES users(id),
  trashed INTEGER NOT NULL DEFAULT 0,       -- itself or a folder above
  explicitly_trashed INTEGER NOT NULL DEFAULT 0,
  trashed_at INTEGER,
  trasher_id INTEGER REFERENCES users(id),
  version INTEGER NOT NULL DEFAULT 1,
  head_revision_id TEXT,
  quota_bytes INTEGER NOT NULL DEFAULT 0,   -- all kept revisions
  shortcut_target_id TEXT,
  details TEXT NOT NULL DEFAULT '{}'        -- JSON: the writable fields that nothing searches (FileDetails)
) STRICT;
CREATE INDEX files_by_parent ON files(parent_id);
CREATE INDEX files_by_drive ON files(drive_id);

CREATE TABLE revisions (
  file_id TEXT NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  number INTEGER NOT NULL,                  -- 1, 2, 3 … within the file
  blob_id TEXT NOT NULL REFERENCES blobs(id),
  mime_type TEXT NOT NULL,                  -- of the file then: for editor documents not that of the bytes
  original_filename TEXT,
  modified_at INTEGER NOT NULL,
  replaced_at INTEGER,                      -- when newer content came
  modifier_id INTEGER REFERENCES users(id),
  pinned INTEGER NOT NULL DEFAULT 0,
  published INTEGER NOT NULL DEFAULT 0,
  publish_auto INTEGER NOT NULL DEFAULT 0,
  published_outside_domain INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (file_id, id)
) STRICT;
CREATE INDEX revisions_by_blob ON revisions(blob_id);

-- What one user did with a file: stars, views, own edits, how it was shared with them. Each owner has
-- a row for each own file, so that all of them can be read in the order of such rows.
CREATE TABLE user_files (
  user_id INTEGER NOT NULL,
  file_id TEXT NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  starred INTEGER NOT NULL DEFAULT 0,
  viewed_at INTEGER,
  modified_at INTEGER,
  shared_at INTEGER,
  sharer_id INTEGER,
  own INTEGER NOT NULL DEFAULT 0,           -- the user is the file's owner
  recent_at INTEGER NOT NULL DEFAULT 0,     -- the latest of what orderBy=recency counts
  PRIMARY KEY (user_id, file_id)
) STRICT, WITHOUT ROWID;
-- A file that is deleted finds its rows.
CREATE INDEX user_files_by_file ON user_files(file_id);

-- Permissions given on an item itself. The owner of a My Drive item is files.owner_id and has no row.
CREATE TABLE permissions (
  file_id TEXT NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  id TEXT NOT NULL,                         -- permissionId
  type TEXT NOT NULL,                       -- user | group | domain | anyone
  role TEXT NOT NULL,                       -- organizer | fileOrganizer | writer | reader
  commenter INTEGER NOT NULL DEFAULT 0,
  email TEXT,
  domain TEXT,
  with_link INTEGER NOT NULL DEFAULT 0,
  expires_at INTEGER,
  pending_owner INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (file_id, id)
) STRICT;
CREATE INDEX permissions_by_id ON permissions(id);
CREATE INDEX permissions_by_type ON permissions(type);

CREATE TABLE properties (
  file_id TEXT NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  visibility TEXT NOT NULL,                 -- PRIVATE | PUBLIC
  client_id TEXT NOT NULL,                  -- the app of a private property; '' for public ones
  value TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (file_id, key, visibility, client_id)
) STRICT;

CREATE TABLE file_labels (
  file_id TEXT NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  label_id TEXT NOT NULL,
  revision_id TEXT NOT NULL,
  fields TEXT NOT NULL DEFAULT '{}',        -- JSON: field ID -> LabelFieldValues
  PRIMARY KEY (file_id, label_id)
) STRICT;

-- Pictures that callers sent for files of which the service can make none.
CREATE TABLE thumbnails (
  file_id TEXT PRIMARY KEY REFERENCES files(id) ON DELETE CASCADE,
  blob_id TEXT NOT NULL REFERENCES blobs(id),
  mime_type TEXT NOT NULL
) STRICT;
CREATE INDEX thumbnails_by_blob ON thumbnails(blob_id);

CREATE TABLE generated_ids (
  id TEXT PRIMARY KEY,
  user_id INTEGER NOT NULL,
  space TEXT NOT NULL,
  type TEXT NOT NULL,
  used INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE uploads (
  id TEXT PRIMARY KEY,
  request TEXT NOT NULL,                    -- JSON: what the first request asked for (SessionRequest)
  user_id INTEGER NOT NULL REFERENCES users(id),
  token_id INTEGER NOT NULL,
  blob_id TEXT NOT NULL,                    -- the file of the content, also while it still grows
  total INTEGER,                            -- NULL while nobody knows
  received INTEGER NOT NULL DEFAULT 0,      -- bytes that are certainly on the disk
  expires_at INTEGER NOT NULL,
  answer TEXT                               -- JSON of the finished answer, so that it can be asked again
) STRICT;
CREATE INDEX uploads_by_blob ON uploads(blob_id);

-- One row for each item, audience and view that says something of its own (VIEW in audience.ts): a
-- newer change takes the older one's place. A follower sees of an item's rows the one of the widest
-- view that is not wider than the follower's, so that who follows a narrow one learns that an item
-- has left it.
CREATE TABLE changes (
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
CREATE INDEX changes_by_line ON changes(audience, id);

CREATE TABLE channels (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  user_id INTEGER NOT NULL,
  client_id TEXT NOT NULL,                  -- '' for a personal access token
  resource_id TEXT NOT NULL,
  resource_uri TEXT NOT NULL,
  audience TEXT,                            -- of changes.watch; NULL for files.watch
  file_id TEXT,                             -- of files.watch
  params TEXT NOT NULL DEFAULT '{}',        -- JSON: what a follower of changes wants (Followed)
  address TEXT NOT NULL,
  token TEXT,
  payload INTEGER NOT NULL DEFAULT 1,
  expires_at INTEGER NOT NULL,
  last_number INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX channels_by_audience ON channels(audience);
CREATE INDEX channels_by_file ON channels(file_id);

-- Messages that wait for delivery. Whoever delivers takes a lease first, so that processes do not double them.
CREATE TABLE messages (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  channel_key INTEGER NOT NULL REFERENCES channels(key) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  state TEXT NOT NULL,
  changed TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL,
  leased_until INTEGER NOT NULL DEFAULT 0
) STRICT;
-- A change of a file finds what waits for its channels.
CREATE INDEX messages_by_channel ON messages(channel_key, key);
`

/**
 * The layouts of the database by version, the oldest first: the first makes all tables, and each one
 * behind it is the step from the one before. A step never changes once it is released.
 */
export const layouts: readonly string[] = [fileTables + signInTables + searchTables, renewalTables]

/** The version of a database in the first layout. Those below it are from before the first release. */
const FIRST_VERSION = 9

/** The version of a database that has all these layouts. */
export function versionWith(layouts: readonly string[]): number {
  return FIRST_VERSION + layouts.length - 1
}

/** The layouts that a database lacks, all where it has no tables. Throws `DataError` for one that this drv cannot bring up to date. */
export function missingLayouts(
  layouts: readonly string[],
  {get}: {get<Row>(sql: string): Row | undefined},
  directory: string,
): readonly string[] {
  const {user_version: version} = get<{user_version: number}>('PRAGMA user_version')!
  if (version === 0) return layouts
  if (version > versionWith(layouts)) throw newerData(directory)
  if (version >= FIRST_VERSION) return layouts.slice(version - FIRST_VERSION + 1)
  throw new DataError(
    `The data in ${directory} was written by a drv from before the first release.`,
    'This drv cannot use it. Remove the directory to start anew, or name another one with --data.',
  )
}

export function newerData(directory: string): DataError {
  return new DataError(
    `The data in ${directory} was written by a newer drv.`,
    'Update drv to use it.',
  )
}
