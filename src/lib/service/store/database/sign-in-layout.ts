import {hash} from 'node:crypto'
import {BUILTIN_CLIENT_ID, BUILTIN_CLIENT_SECRET} from '#lib/api/wire.js'

/** The tables of sign-in. Times are Unix ms, secrets SHA-256, scopes full values in alphabetical order, joined by a blank. */
export const signInTables = `
CREATE TABLE apps (
  client_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  secret_hash TEXT,                         -- NULL for an app that cannot keep a secret
  home_url TEXT,
  callback_url TEXT,                        -- NULL: no web flow
  device_flow INTEGER NOT NULL DEFAULT 0,
  suspended INTEGER NOT NULL DEFAULT 0,
  facts TEXT NOT NULL DEFAULT '{}',         -- JSON: what the app can do with files (AppFacts)
  created_at INTEGER NOT NULL
) STRICT;
INSERT INTO apps (client_id, name, secret_hash, device_flow, callback_url, facts, created_at)
VALUES ('${BUILTIN_CLIENT_ID}', 'drv', '${hash('sha256', BUILTIN_CLIENT_SECRET)}', 1, 'http://127.0.0.1/callback',
  '{"shortDescription": "Files and sign-in from the command line."}', unixepoch() * 1000);

-- A revoked token keeps its row, so that further use of it can be held against its user.
CREATE TABLE tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL UNIQUE,
  last_eight TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users(id),
  client_id TEXT REFERENCES apps(client_id),  -- NULL for a personal token
  scopes TEXT NOT NULL,
  permissions TEXT,                         -- of a fine-grained token: 'files=write sharing=read'
  note TEXT,
  created_at INTEGER NOT NULL,
  used_at INTEGER,                          -- to the day
  expires_at INTEGER,                       -- NULL: lives until it is revoked
  revoked_at INTEGER
) STRICT;
CREATE INDEX tokens_by_grant ON tokens(user_id, client_id, scopes);

CREATE TABLE device_grants (
  id INTEGER PRIMARY KEY,
  device_hash TEXT NOT NULL UNIQUE,
  user_hash TEXT NOT NULL UNIQUE,
  client_id TEXT NOT NULL REFERENCES apps(client_id),
  scopes TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending',    -- pending | authorized | denied | used
  user_id INTEGER REFERENCES users(id),     -- who authorized it
  interval INTEGER NOT NULL,                -- seconds
  polled_at INTEGER,
  expires_at INTEGER NOT NULL
) STRICT;

-- Temporary codes of the web flow.
CREATE TABLE codes (
  hash TEXT PRIMARY KEY,
  client_id TEXT NOT NULL REFERENCES apps(client_id),
  user_id INTEGER NOT NULL REFERENCES users(id),
  scopes TEXT NOT NULL,
  redirect_uri TEXT,                        -- as the request named it; NULL when it named none
  expires_at INTEGER NOT NULL
) STRICT;

-- Who is signed in in which browser; the account that was chosen last is the one in use.
CREATE TABLE browser_accounts (
  browser_hash TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users(id),
  chosen_at INTEGER NOT NULL,
  number INTEGER NOT NULL,                  -- tells the order of choices within one ms
  PRIMARY KEY (browser_hash, user_id)
) STRICT, WITHOUT ROWID;

-- Organizations own shared drives, and may ask for single sign-on before a classic token opens them.
CREATE TABLE organizations (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  sso INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE organization_drives (
  drive_id TEXT PRIMARY KEY REFERENCES drives(id) ON DELETE CASCADE,
  organization_id INTEGER NOT NULL REFERENCES organizations(id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE TABLE sso_authorizations (
  token_id INTEGER NOT NULL REFERENCES tokens(id),
  organization_id INTEGER NOT NULL REFERENCES organizations(id) ON DELETE CASCADE,
  PRIMARY KEY (token_id, organization_id)
) STRICT, WITHOUT ROWID;
-- Addresses at which a token can be authorized for an organization.
CREATE TABLE sso_requests (
  hash TEXT PRIMARY KEY,
  token_id INTEGER NOT NULL REFERENCES tokens(id),
  organization_id INTEGER NOT NULL REFERENCES organizations(id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL
) STRICT;

-- What is counted against limits: failed sign-ins and submitted user codes.
CREATE TABLE attempts (
  subject TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX attempts_by_subject ON attempts(subject, at);
-- Attempts that are too old to count are found without looking through all of them.
CREATE INDEX attempts_by_time ON attempts(at);
`

/** What tokens that expire, refresh tokens and PKCE need. */
export const renewalTables = `
-- By choice of an app its tokens expire, and come with a refresh token.
ALTER TABLE apps ADD COLUMN token_lifetime INTEGER;                     -- ms; NULL: until they are revoked
ALTER TABLE apps ADD COLUMN reuse_interval INTEGER NOT NULL DEFAULT 0;  -- ms in which a used refresh token works again

-- All tokens that came of one sign-in. It ends with its row.
CREATE TABLE token_families (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users(id),
  client_id TEXT NOT NULL REFERENCES apps(client_id),
  scopes TEXT NOT NULL,
  by_device INTEGER NOT NULL,               -- its refresh tokens need no secret
  expires_at INTEGER NOT NULL               -- of the newest refresh token
) STRICT;
CREATE INDEX token_families_by_grant ON token_families(user_id, client_id);

-- A used one keeps its row as long as its family lives, so that further use of it ends the family.
CREATE TABLE refresh_tokens (
  hash TEXT PRIMARY KEY,
  family_id INTEGER NOT NULL REFERENCES token_families(id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
CREATE INDEX refresh_tokens_by_family ON refresh_tokens(family_id);

ALTER TABLE tokens ADD COLUMN family_id INTEGER REFERENCES token_families(id) ON DELETE SET NULL;
CREATE INDEX tokens_by_family ON tokens(family_id) WHERE family_id IS NOT NULL;

-- SHA-256 of a secret that only whoever began the sign-in has (RFC 7636), in base64url.
ALTER TABLE codes ADD COLUMN code_challenge TEXT;
ALTER TABLE device_grants ADD COLUMN code_challenge TEXT;
`
