import {hash} from 'node:crypto'
import {BUILTIN_CLIENT_ID, BUILTIN_CLIENT_SECRET} from '#lib/api/wire.js'

/** The app of drv itself in a new database. */
export const BUILTIN_APP = {
  client_id: BUILTIN_CLIENT_ID,
  name: 'drv',
  secret_hash: hash('sha256', BUILTIN_CLIENT_SECRET),
  device_flow: 1,
  callback_url: 'http://127.0.0.1/callback',
  facts: '{"shortDescription": "Files and sign-in from the command line."}',
} as const

/** The tables of sign-in. Times are in Unix ms, secrets are SHA-256 hashes, scopes are full values in alphabetical order, separated by spaces. */
export const signInTables = `
CREATE TABLE apps (
  client_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  secret_hash TEXT,                         -- NULL for an app without a secret
  home_url TEXT,
  callback_url TEXT,                        -- NULL: no web flow
  device_flow INTEGER NOT NULL DEFAULT 0,
  suspended INTEGER NOT NULL DEFAULT 0,
  facts TEXT NOT NULL DEFAULT '{}',         -- JSON: the capabilities of the app (AppFacts)
  created_at INTEGER NOT NULL
) STRICT;
INSERT INTO apps (client_id, name, secret_hash, device_flow, callback_url, facts, created_at)
VALUES ('${BUILTIN_APP.client_id}', '${BUILTIN_APP.name}', '${BUILTIN_APP.secret_hash}', ${BUILTIN_APP.device_flow}, '${BUILTIN_APP.callback_url}',
  '${BUILTIN_APP.facts}', unixepoch() * 1000);

-- The row of a revoked token stays, so that further use of it is detected.
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
  used_at INTEGER,                          -- rounded to the day
  expires_at INTEGER,                       -- NULL: valid until it is revoked
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
  user_id INTEGER REFERENCES users(id),     -- the user who authorized it
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
  redirect_uri TEXT,                        -- as in the request; NULL if it had none
  expires_at INTEGER NOT NULL
) STRICT;

-- The accounts that are signed in, by browser. The account that was chosen last is active.
CREATE TABLE browser_accounts (
  browser_hash TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users(id),
  chosen_at INTEGER NOT NULL,
  number INTEGER NOT NULL,                  -- the order of choices within one ms
  PRIMARY KEY (browser_hash, user_id)
) STRICT, WITHOUT ROWID;

-- Organizations own shared drives, and may require single sign-on before a classic token can access them.
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
-- URLs that authorize a token for an organization.
CREATE TABLE sso_requests (
  hash TEXT PRIMARY KEY,
  token_id INTEGER NOT NULL REFERENCES tokens(id),
  organization_id INTEGER NOT NULL REFERENCES organizations(id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL
) STRICT;

-- Attempts that count toward limits: failed sign-ins and submitted user codes.
CREATE TABLE attempts (
  subject TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX attempts_by_subject ON attempts(subject, at);
-- For finding expired attempts.
CREATE INDEX attempts_by_time ON attempts(at);
`

/** Tables and columns for expiring tokens, refresh tokens and PKCE. */
export const renewalTables = `
-- Tokens of an app can expire. They then come with a refresh token.
ALTER TABLE apps ADD COLUMN token_lifetime INTEGER;                     -- ms; NULL: valid until they are revoked
ALTER TABLE apps ADD COLUMN reuse_interval INTEGER NOT NULL DEFAULT 0;  -- ms during which a used refresh token remains valid

-- All tokens from one sign-in. Deleting the row ends the family.
CREATE TABLE token_families (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users(id),
  client_id TEXT NOT NULL REFERENCES apps(client_id),
  scopes TEXT NOT NULL,
  by_device INTEGER NOT NULL,               -- its refresh tokens need no secret
  expires_at INTEGER NOT NULL               -- of the newest refresh token
) STRICT;
CREATE INDEX token_families_by_grant ON token_families(user_id, client_id);

-- The row of a used refresh token stays as long as its family, so that further use of it ends the family.
CREATE TABLE refresh_tokens (
  hash TEXT PRIMARY KEY,
  family_id INTEGER NOT NULL REFERENCES token_families(id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
CREATE INDEX refresh_tokens_by_family ON refresh_tokens(family_id);

ALTER TABLE tokens ADD COLUMN family_id INTEGER REFERENCES token_families(id) ON DELETE SET NULL;
CREATE INDEX tokens_by_family ON tokens(family_id) WHERE family_id IS NOT NULL;

-- SHA-256 of a secret of the client that started the sign-in (RFC 7636), in base64url.
ALTER TABLE codes ADD COLUMN code_challenge TEXT;
ALTER TABLE device_grants ADD COLUMN code_challenge TEXT;
`
