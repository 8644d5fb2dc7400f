import type {NotedServer} from '#lib/config/config.js'
import {isObject, parseJson} from '#lib/platform/values.js'
import {accountOf, type CredentialStore, refreshAccountOf, SERVICE} from './store.js'

/** The entries of a sign-in: the token with its end, and the refresh token with the server that it is for. */

/** A token as it is kept. */
export interface StoredToken {
  readonly token: string
  /** Milliseconds since 1970; `undefined` where it does not end, or nobody said when. */
  readonly expiresAt?: number
}

/** Whose entries they are. */
interface Owner {
  readonly profile: string
  readonly binding: string
}

/** The token that is kept; `undefined` where there is none. */
export async function readToken(
  store: Pick<CredentialStore, 'getPassword'>,
  owner: Owner,
): Promise<StoredToken | undefined> {
  const text = await store.getPassword(SERVICE, accountOf(owner))
  return text === null ? undefined : parseToken(text)
}

/** Keeps a token; returns whether it comes back, from a store that was opened anew. */
export async function writeToken(
  openStore: () => CredentialStore,
  owner: Owner,
  token: StoredToken,
): Promise<boolean> {
  const text = formatToken(token)
  await openStore().setPassword(SERVICE, accountOf(owner), text)
  return (await openStore().getPassword(SERVICE, accountOf(owner))) === text
}

/** A token without an end is kept as it is, as it always was. */
function formatToken({token, expiresAt}: StoredToken): string {
  return expiresAt === undefined ? token : JSON.stringify({token, expiresAt})
}

function parseToken(text: string): StoredToken {
  const value = text.startsWith('{') ? parseJson(text) : undefined
  if (!isObject(value) || typeof value.token !== 'string') return {token: text}
  const {token, expiresAt} = value
  return typeof expiresAt === 'number' ? {token, expiresAt} : {token}
}

/** The refresh token that is kept for a server; none for any other, whatever the configuration says by now. */
export async function readRefreshToken(
  store: Pick<CredentialStore, 'getPassword'>,
  owner: Owner,
  server: NotedServer,
): Promise<string | undefined> {
  const text = await store.getPassword(SERVICE, refreshAccountOf(owner))
  const value = text === null ? undefined : parseJson(text)
  if (!isObject(value) || value.server !== keyOf(server)) return undefined
  return typeof value.refreshToken === 'string' ? value.refreshToken : undefined
}

export async function writeRefreshToken(
  store: CredentialStore,
  owner: Owner,
  {server, refreshToken}: {readonly server: NotedServer; readonly refreshToken: string},
): Promise<void> {
  const text = JSON.stringify({refreshToken, server: keyOf(server)})
  await store.setPassword(SERVICE, refreshAccountOf(owner), text)
}

/** Where a refresh token may be sent, and by which app. */
function keyOf({clientId, tokenUrl, authUrl}: NotedServer): string {
  return `${clientId} ${tokenUrl ?? authUrl ?? 'local'}`
}
