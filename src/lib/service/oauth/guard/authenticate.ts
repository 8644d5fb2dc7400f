import {scopes} from '#lib/api/description/scopes.js'
import {
  atHeader,
  failure,
  type FileServiceError,
  invalidCredentials,
  REALM,
} from '#lib/service/errors.js'
import type {ServiceRequest} from '#lib/service/http/message.js'
import {countAttempt} from '#lib/service/oauth/store/attempts.js'
import {unauthorizedDrives} from '#lib/service/oauth/store/organizations.js'
import {findToken, recordUse, type TokenWithUser} from '#lib/service/oauth/store/tokens.js'
import {type Permissions, readPermissions} from '#lib/service/oauth/tokens/permissions.js'
import {scopeNamesOf, scopesOf, tokenFormOf} from '#lib/service/oauth/tokens/token.js'
import type {Store} from '#lib/service/store/index.js'
import type {Caller, ClosedDrives} from '#lib/service/store/store-call.js'
import {type LockoutSubject, namedByLogin, noSubject, refuseLocked} from './lockout.js'

const AUTHORIZATION = atHeader('Authorization')

/** The credentials of a request. */
export interface Credentials {
  /** The header `Authorization`. */
  readonly authorization?: string
  /** The query parameter `access_token` or `oauth_token`; the header takes precedence. */
  readonly queryToken?: string
}

/** Returns the credentials of a request. */
export function credentialsOf({
  headers,
  url,
}: Pick<ServiceRequest, 'headers' | 'url'>): Credentials {
  const queryToken =
    url.searchParams.get('access_token') ?? url.searchParams.get('oauth_token') ?? undefined
  return {authorization: headers.authorization, queryToken}
}

/** The user of a request, with details of the token. */
export interface TokenCaller extends Caller {
  /** The scopes, spelled as they were granted. */
  readonly scopeNames: readonly string[]
  /** The permissions of a fine-grained token; `undefined` for a token with scopes. */
  readonly permissions?: Permissions
  /** When the token expires, in Unix ms; `undefined` if it does not. */
  readonly expiresAt?: number
}

/** The error reason for a request without credentials. */
export const NO_TOKEN = 'required'

/**
 * Returns the caller of a request (spec: authorization.md, Authentication). Throws 403 `required`
 * without credentials, 401 `authError` for invalid ones, and 403 while the user is locked out. Call it
 * outside a transaction, so that the count of failed attempts is kept when it throws.
 */
export function authenticate(store: Store, credentials: Credentials, now: number): TokenCaller {
  const offered = readCredential(credentials)
  if (!offered) {
    throw failure(403, NO_TOKEN, 'Login Required', AUTHORIZATION, {'WWW-Authenticate': REALM})
  }
  const token = offered.token === undefined ? undefined : findToken(store, offered.token, now)
  const named = token ? (`user:${token.user_id}` as const) : namedBy(store, offered)
  refuseLocked(store, named, now)
  if (!token?.live) {
    // Tokens with a refresh token expire regularly, possibly during many requests, so these do not count.
    const hasExpired = token && token.family_id !== null && token.revoked_at === null
    if (!hasExpired) countAttempt(store, named, now)
    throw offered.login === undefined ? invalidCredentials() : passwordRefused()
  }
  if (token.user.suspended) {
    const message = 'Sorry. Your account was suspended.'
    throw failure(403, 'accountSuspended', message, AUTHORIZATION)
  }
  recordUse(store, token, now)
  return callerOf(store, token)
}

/** Returns the text of the token in a request, valid or not. */
export function shownToken(credentials: Credentials): string | undefined {
  return readCredential(credentials)?.token
}

/** Returns the caller for a token. A fine-grained token has access to all files, limited to the operations that it allows. */
export function callerOf(store: Store, token: TokenWithUser): TokenCaller {
  const permissions = token.permissions === null ? undefined : readPermissions(token.permissions)
  return {
    user: token.user,
    tokenId: token.id,
    clientId: token.client_id ?? undefined,
    scopes: new Set(permissions ? scopes('drive') : scopesOf(token)),
    scopeNames: scopeNamesOf(token),
    ...(permissions && {permissions}),
    ...(token.expires_at !== null && {expiresAt: token.expires_at}),
    closedDrives: closedDrivesOf(store, token),
  }
}

/** Returns the shared drives that need single sign-on for this token; none for tokens of apps (spec: authorization.md, Authentication 7). */
function closedDrivesOf(store: Store, token: TokenWithUser): ClosedDrives | undefined {
  if (tokenFormOf(token) === 'app') return undefined
  const drives = unauthorizedDrives(store, token.id)
  return drives.size === 0 ? undefined : drives
}

/** A token, or the login of a request with Basic authentication. */
interface Credential {
  readonly token?: string
  readonly login?: string
}

/** Returns the subject of failed attempts for a credential other than a known token. */
function namedBy(store: Store, {token = '', login}: Credential): LockoutSubject {
  return login === undefined ? noSubject(token) : namedByLogin(store, login)
}

function readCredential({authorization, queryToken}: Credentials): Credential | undefined {
  if (!authorization?.trim()) return queryToken ? {token: queryToken} : undefined
  const [, scheme = '', value = ''] = /^\s*(\S+)\s*(.*?)\s*$/.exec(authorization) ?? []
  switch (scheme.toLowerCase()) {
    case 'bearer':
    case 'token':
      return {token: value}
    case 'basic':
      return {login: readBasic(authorization)?.user ?? ''}
    default:
      return {token: ''}
  }
}

function passwordRefused(): FileServiceError {
  const message = 'Password authentication is not supported. Send an access token instead.'
  return failure(401, 'authError', message, AUTHORIZATION, {'WWW-Authenticate': REALM})
}

/** Parses user and password of Basic authentication (RFC 7617); `undefined` for any other header. */
export function readBasic(
  authorization: string | undefined,
): {user: string; password: string} | undefined {
  const encoded = /^\s*basic\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : {user: text.slice(0, colon), password: text.slice(colon + 1)}
}
