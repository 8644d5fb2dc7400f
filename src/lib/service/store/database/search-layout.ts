/** The orders of lists, with the columns before the ID. */
const HELD_ORDERS = {
  modification: 'modified_at DESC, ',
  creation: 'created_at DESC, ',
  quota: 'quota_bytes DESC, ',
  natural_title: 'title_key, ',
  title: 'substr(title_key, instr(title_key, char(1)) + 1), ',
  id: '',
}

/** The latest date of a file for a user, from the columns of the file and the user's row NEW. */
const RECENT = `max(created_at, modified_at, coalesce(NEW.viewed_at, -9000000000000000),
      coalesce(NEW.shared_at, -9000000000000000))`

/**
 * Indexes and tables for searches and lists, which otherwise would read every file. `query/` reads
 * them. Triggers update derived rows.
 */
export const searchTables = `
-- The items of a holder, which is a shared drive or an owner: folders and files separately, in one of
-- the orders, then by ID.
${Object.entries(HELD_ORDERS)
  .map(
    ([name, order]) => `CREATE INDEX files_held_by_${name} ON files(coalesce(drive_id, owner_id),
  mime_type <> 'application/vnd.google-apps.folder', ${order}id);`,
  )
  .join('\n')}
CREATE INDEX files_held_by_type ON files(coalesce(drive_id, owner_id), lower(mime_type));
CREATE INDEX files_held_in_trash ON files(coalesce(drive_id, owner_id)) WHERE trashed = 1;
CREATE INDEX files_held_closed ON files(coalesce(drive_id, owner_id)) WHERE inherits = 0;

-- Items that searches find because they are shared with a domain or with everyone.
CREATE INDEX permissions_findable ON permissions(type, domain) WHERE with_link = 0;

-- The marks of a user on files, in each order of lists.
CREATE INDEX user_files_by_view
  ON user_files(user_id, coalesce(viewed_at, -9000000000000000) DESC, file_id);
CREATE INDEX user_files_by_modification
  ON user_files(user_id, coalesce(modified_at, -9000000000000000) DESC, file_id);
CREATE INDEX user_files_by_recency ON user_files(user_id, recent_at DESC, file_id);
CREATE INDEX user_files_shared ON user_files(user_id, shared_at DESC, file_id) WHERE shared_at IS NOT NULL;
CREATE INDEX user_files_starred ON user_files(user_id, file_id) WHERE starred = 1;
CREATE INDEX user_files_visited ON user_files(user_id, file_id) WHERE own = 0 AND viewed_at IS NOT NULL;

CREATE TRIGGER user_files_of_owner AFTER INSERT ON files WHEN NEW.owner_id IS NOT NULL BEGIN
  INSERT OR IGNORE INTO user_files (user_id, file_id, own, recent_at)
  VALUES (NEW.owner_id, NEW.id, 1, max(NEW.created_at, NEW.modified_at));
END;
CREATE TRIGGER user_files_of_new_owner AFTER UPDATE OF owner_id ON files BEGIN
  INSERT OR IGNORE INTO user_files (user_id, file_id, recent_at)
  SELECT NEW.owner_id, NEW.id, max(NEW.created_at, NEW.modified_at) WHERE NEW.owner_id IS NOT NULL;
  UPDATE user_files SET own = user_id IS NEW.owner_id WHERE file_id = NEW.id;
END;
-- A new row replaces an empty one.
CREATE TRIGGER user_files_replaced BEFORE INSERT ON user_files BEGIN
  DELETE FROM user_files WHERE user_id = NEW.user_id AND file_id = NEW.file_id AND starred = 0
    AND viewed_at IS NULL AND modified_at IS NULL AND shared_at IS NULL AND sharer_id IS NULL;
END;
CREATE TRIGGER user_files_of_new_row AFTER INSERT ON user_files WHEN NEW.recent_at = 0 BEGIN
  UPDATE user_files SET (own, recent_at) = (
    SELECT owner_id IS NEW.user_id, ${RECENT} FROM files WHERE id = NEW.file_id)
  WHERE user_id = NEW.user_id AND file_id = NEW.file_id;
END;
CREATE TRIGGER recency_of_row AFTER UPDATE OF viewed_at, shared_at ON user_files
  WHEN NEW.recent_at <> (SELECT ${RECENT} FROM files WHERE id = NEW.file_id)
BEGIN
  UPDATE user_files SET recent_at = (SELECT ${RECENT} FROM files WHERE id = NEW.file_id)
  WHERE user_id = NEW.user_id AND file_id = NEW.file_id;
END;
CREATE TRIGGER recency_of_file AFTER UPDATE OF created_at, modified_at ON files BEGIN
  UPDATE user_files SET recent_at = max(NEW.created_at, NEW.modified_at,
    coalesce(viewed_at, -9000000000000000), coalesce(shared_at, -9000000000000000))
  WHERE file_id = NEW.id;
END;

-- Items in folders of other users, who can see them there.
CREATE TABLE guests (
  host_id INTEGER NOT NULL,                 -- the owner of the folder
  file_id TEXT NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  PRIMARY KEY (host_id, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX guests_by_file ON guests(file_id);
CREATE TRIGGER guest_of_new_file AFTER INSERT ON files BEGIN
  INSERT INTO guests SELECT owner_id, NEW.id FROM files WHERE id = NEW.parent_id AND owner_id <> NEW.owner_id;
END;
CREATE TRIGGER guests_of_file AFTER UPDATE OF parent_id, owner_id ON files BEGIN
  DELETE FROM guests WHERE file_id = NEW.id;
  INSERT INTO guests SELECT owner_id, NEW.id FROM files WHERE id = NEW.parent_id AND owner_id <> NEW.owner_id;
END;
CREATE TRIGGER guests_of_folder AFTER UPDATE OF owner_id ON files BEGIN
  DELETE FROM guests WHERE file_id IN (SELECT id FROM files WHERE parent_id = NEW.id);
  INSERT INTO guests SELECT NEW.owner_id, id FROM files WHERE parent_id = NEW.id AND owner_id <> NEW.owner_id;
END;

-- The words of files, for search (words.ts).
CREATE TABLE file_words (
  key INTEGER PRIMARY KEY,                  -- in text_words
  file_id TEXT NOT NULL UNIQUE REFERENCES files(id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT ' ',
  given TEXT NOT NULL DEFAULT ' ',          -- of indexableText
  content TEXT NOT NULL DEFAULT ' '
) STRICT;
CREATE TRIGGER words_of_new_file AFTER INSERT ON files BEGIN
  INSERT INTO file_words (file_id, title) VALUES (NEW.id, NEW.title_words);
END;
CREATE TRIGGER words_of_file AFTER UPDATE OF title_words ON files BEGIN
  UPDATE file_words SET title = NEW.title_words WHERE file_id = NEW.id;
END;

-- The index of these words. They are already normalized, so the tokenizer only splits them at spaces.
-- Prefixes of words match as well.
CREATE VIRTUAL TABLE text_words USING fts5(title, description, given, content,
  content = 'file_words', content_rowid = 'key', tokenize = 'ascii', prefix = '1 2 3');
CREATE TRIGGER text_words_of_new_row AFTER INSERT ON file_words BEGIN
  INSERT INTO text_words (rowid, title, description, given, content)
  VALUES (NEW.key, NEW.title, NEW.description, NEW.given, NEW.content);
END;
CREATE TRIGGER text_words_of_row AFTER UPDATE ON file_words BEGIN
  INSERT INTO text_words (text_words, rowid, title, description, given, content)
  VALUES ('delete', OLD.key, OLD.title, OLD.description, OLD.given, OLD.content);
  INSERT INTO text_words (rowid, title, description, given, content)
  VALUES (NEW.key, NEW.title, NEW.description, NEW.given, NEW.content);
END;
CREATE TRIGGER text_words_of_deleted_row AFTER DELETE ON file_words BEGIN
  INSERT INTO text_words (text_words, rowid, title, description, given, content)
  VALUES ('delete', OLD.key, OLD.title, OLD.description, OLD.given, OLD.content);
END;
`
