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

-- IDs of deleted users, which are not used again.
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
  theme_id TEXT,                            -- NULL if color or background were set without a theme
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

-- Complete content. Its bytes are in this table, or in a file named after the ID.
CREATE TABLE blobs (
  id TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  md5 TEXT NOT NULL,
  sha1 TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  bytes BLOB
) STRICT;

-- Deleted content whose file may still exist, because the process ended first. The next start removes it.
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
  client_id TEXT,                           -- the app that created it
  parent_id TEXT REFERENCES files(id),      -- NULL for the roots of drives
  inherits INTEGER NOT NULL DEFAULT 1,      -- 0: no permissions from the folders above
  title TEXT NOT NULL,
  title_key TEXT NOT NULL,                  -- for '=' in searches and for sorting: see words.ts
  title_words TEXT NOT NULL,                -- for 'contains' in searches: see words.ts
  mime_type TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  modifier_id INTEGER REFERENCES users(id),
  trashed INTEGER NOT NULL DEFAULT 0,       -- the item itself or a folder above it
  explicitly_trashed INTEGER NOT NULL DEFAULT 0,
  trashed_at INTEGER,
  trasher_id INTEGER REFERENCES users(id),
  version INTEGER NOT NULL DEFAULT 1,
  head_revision_id TEXT,
  quota_bytes INTEGER NOT NULL DEFAULT 0,   -- size of all revisions
  shortcut_target_id TEXT,
  details TEXT NOT NULL DEFAULT '{}'        -- JSON: writable fields that searches do not use (FileDetails)
) STRICT;
CREATE INDEX files_by_parent ON files(parent_id);
CREATE INDEX files_by_drive ON files(drive_id);

CREATE TABLE revisions (
  file_id TEXT NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  number INTEGER NOT NULL,                  -- 1, 2, 3 … within the file
  blob_id TEXT NOT NULL REFERENCES blobs(id),
  mime_type TEXT NOT NULL,                  -- of the file at that time; for editor documents not that of the bytes
  original_filename TEXT,
  modified_at INTEGER NOT NULL,
  replaced_at INTEGER,                      -- time of the next revision
  modifier_id INTEGER REFERENCES users(id),
  pinned INTEGER NOT NULL DEFAULT 0,
  published INTEGER NOT NULL DEFAULT 0,
  publish_auto INTEGER NOT NULL DEFAULT 0,
  published_outside_domain INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (file_id, id)
) STRICT;
CREATE INDEX revisions_by_blob ON revisions(blob_id);

-- The marks of a user on a file: star, last view, last edit, sharing. An owner has a row for every own
-- file, so that all of them can be read in the order of these columns.
CREATE TABLE user_files (
  user_id INTEGER NOT NULL,
  file_id TEXT NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  starred INTEGER NOT NULL DEFAULT 0,
  viewed_at INTEGER,
  modified_at INTEGER,
  shared_at INTEGER,
  sharer_id INTEGER,
  own INTEGER NOT NULL DEFAULT 0,           -- the user owns the file
  recent_at INTEGER NOT NULL DEFAULT 0,     -- the latest of the dates for orderBy=recency
  PRIMARY KEY (user_id, file_id)
) STRICT, WITHOUT ROWID;
-- For deleting the rows of a file.
CREATE INDEX user_files_by_file ON user_files(file_id);

-- Permissions on the item itself. The owner of a My Drive item is files.owner_id and has no row.
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

-- Uploaded thumbnails, for files that the service cannot create one for.
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
  request TEXT NOT NULL,                    -- JSON: the first request (SessionRequest)
  user_id INTEGER NOT NULL REFERENCES users(id),
  token_id INTEGER NOT NULL,
  blob_id TEXT NOT NULL,                    -- the content file, complete or not
  total INTEGER,                            -- NULL while it is unknown
  received INTEGER NOT NULL DEFAULT 0,      -- number of bytes on disk
  expires_at INTEGER NOT NULL,
  answer TEXT                               -- JSON of the final response, for repeated requests
) STRICT;
CREATE INDEX uploads_by_blob ON uploads(blob_id);

-- The last change of an item, for each audience and each view that it differs for (VIEW in
-- audience.ts). A newer change replaces the older one. A follower sees the row of the widest view up
-- to its own, so that followers of a narrow view see that an item has left it.
CREATE TABLE changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  audience TEXT NOT NULL,                   -- 'user:<id>' or 'drive:<id>'
  type TEXT NOT NULL,                       -- file | drive
  item_id TEXT NOT NULL,
  seen_from INTEGER NOT NULL,               -- the narrowest view that shows this row
  drive_id TEXT,                            -- the current drive of the item; for a removal, the former one
  space TEXT NOT NULL DEFAULT 'drive',
  top_id TEXT NOT NULL,                     -- the root folder above the item; for a removal, the former one
  client_id TEXT,                           -- the app that created the item
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
  params TEXT NOT NULL DEFAULT '{}',        -- JSON: the filter of changes.watch (Followed)
  address TEXT NOT NULL,
  token TEXT,
  payload INTEGER NOT NULL DEFAULT 1,
  expires_at INTEGER NOT NULL,
  last_number INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX channels_by_audience ON channels(audience);
CREATE INDEX channels_by_file ON channels(file_id);

-- Messages that wait for delivery. A process takes a lease first, so that no other one sends them too.
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
-- For finding the waiting messages of a channel.
CREATE INDEX messages_by_channel ON messages(channel_key, key);
`

/** The table for the seed of the data. */
const seedTables = `
-- The seed that all data of the directory was made from at first: one row, or none.
CREATE TABLE seed (
  key INTEGER PRIMARY KEY CHECK (key = 1),
  digest TEXT NOT NULL,                     -- SHA-256 of the seed and the local files that it names
  file TEXT                                 -- NULL for one that was not in a file
) STRICT;
`

/**
 * The layouts of the database by version, oldest first. The first one creates all tables, each
 * following one migrates from the version before. A released migration never changes.
 */
export const layouts: readonly string[] = [
  fileTables + signInTables + searchTables,
  renewalTables,
  seedTables,
]

/** The database version of the first layout. Lower versions are from before the first release. */
const FIRST_VERSION = 9

/** The version of a database that has all these layouts. */
export function versionWith(layouts: readonly string[]): number {
  return FIRST_VERSION + layouts.length - 1
}

/** The layouts that a database lacks; all of them for an empty one. Throws `DataError` if this drv cannot migrate it. */
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
    `The data in ${directory} was written by a prerelease of drv, and this version cannot read it.`,
    'Delete the directory to start over, or set another one with --data.',
  )
}

/** The error for data of a newer drv. */
export function newerData(directory: string): DataError {
  return new DataError(
    `The data in ${directory} was written by a newer version of drv.`,
    'Update drv to use it.',
  )
}
