import type {ProfileServer} from '#lib/config/config.js'
import {isObject, parseJson} from '#lib/platform/values.js'
import {accountOf, type CredentialStore, refreshAccountOf, SERVICE} from './store.js'

/** The entries of a sign-in: the token with its expiry, and the refresh token with its server. */

/** A token as it is stored. */
export interface StoredToken {
  readonly token: string
  /** Milliseconds since 1970; `undefined` if the token does not expire or its expiry is unknown. */
  readonly expiresAt?: number
}

/** The profile and service of an entry. */
interface Owner {
  readonly profile: string
  readonly binding: string
}

/** The stored token, if any. */
export async function readStoredToken(
  store: Pick<CredentialStore, 'getPassword'>,
  owner: Owner,
): Promise<StoredToken | undefined> {
  const text = await store.getPassword(SERVICE, accountOf(owner))
  return text === null ? undefined : parseToken(text)
}

/** Stores a token; returns whether a newly opened store returns it. */
export async function writeToken(
  openStore: () => CredentialStore,
  owner: Owner,
  token: StoredToken,
): Promise<boolean> {
  const text = formatToken(token)
  await openStore().setPassword(SERVICE, accountOf(owner), text)
  return (await openStore().getPassword(SERVICE, accountOf(owner))) === text
}

/** A token without an expiry is stored as plain text, as in earlier versions. */
function formatToken({token, expiresAt}: StoredToken): string {
  return expiresAt === undefined ? token : JSON.stringify({token, expiresAt})
}

function parseToken(text: string): StoredToken {
  const value = text.startsWith('{') ? parseJson(text) : undefined
  if (!isObject(value) || typeof value.token !== 'string') return {token: text}
  const {token, expiresAt} = value
  return typeof expiresAt === 'number' ? {token, expiresAt} : {token}
}

/** The stored refresh token for a server; `undefined` if it belongs to another server. */
export async function readRefreshToken(
  store: Pick<CredentialStore, 'getPassword'>,
  owner: Owner,
  server: ProfileServer,
): Promise<string | undefined> {
  const text = await store.getPassword(SERVICE, refreshAccountOf(owner))
  const value = text === null ? undefined : parseJson(text)
  if (!isObject(value) || value.server !== keyOf(server)) return undefined
  return typeof value.refreshToken === 'string' ? value.refreshToken : undefined
}

export async function writeRefreshToken(
  store: CredentialStore,
  owner: Owner,
  {server, refreshToken}: {readonly server: ProfileServer; readonly refreshToken: string},
): Promise<void> {
  const text = JSON.stringify({refreshToken, server: keyOf(server)})
  await store.setPassword(SERVICE, refreshAccountOf(owner), text)
}

/** The address that a refresh token may be sent to, and the app that may send it. */
function keyOf({clientId, tokenUrl, authUrl}: ProfileServer): string {
  return `${clientId} ${tokenUrl ?? authUrl ?? 'local'}`
}
