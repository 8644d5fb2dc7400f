import {scopes} from '../../api/description/scopes.js'
import type {Operation} from '../../api/operations.js'
import type {Caller} from '../call.js'
import {type ApiError, failure} from '../errors.js'
import type {Store} from '../store/index.js'
import {countAttempt} from './attempts.js'
import {type Lockout, type Named, namedByLogin, nobody, refuseLocked} from './lockout.js'
import {closedDrives} from './organizations.js'
import {allows, neededPermission, type Permissions, readPermissions} from './permissions.js'
import {type FoundToken, findToken, noteUse, scopeNamesOf, scopesOf} from './tokens.js'

/** What a request shows of who sent it. */
export interface Credentials {
  /** The header `Authorization`. */
  readonly authorization?: string
  /** The query parameter `access_token` or `oauth_token`; a header goes before it. */
  readonly queryToken?: string
}

/** The reason of the refusal where no credential came at all. */
export const NO_TOKEN = 'required'

const REALM = 'Bearer realm="drv"'
const AT_HEADER = {locationType: 'header', location: 'Authorization'} as const

/**
 * Who calls (spec: authorization.md, Authentication). Throws 403 `required` without a credential,
 * 401 `authError` with one that opens nothing, 403 while too many of those named its user. Call it
 * outside a transaction: what it counts must stay when it throws.
 */
export function authenticate(
  store: Store,
  credentials: Credentials,
  now: number,
  lockout?: Lockout,
): Caller {
  const offered = readCredential(credentials)
  if (!offered) throw loginRequired()
  const token = offered.token === undefined ? undefined : findToken(store, offered.token, now)
  const named = token ? (`user:${token.user_id}` as const) : strangerOf(store, offered)
  refuseLocked(store, named, now, lockout)
  if (!token?.live) {
    countAttempt(store, named, now)
    throw offered.login === undefined ? invalidCredentials() : passwordRefused()
  }
  if (token.user.suspended) throw accountSuspended()
  noteUse(store, token, now)
  return callerOf(store, token)
}

/** Who calls with a token. A fine-grained one reaches all files, in the operations that it allows. */
export function callerOf(store: Store, token: FoundToken): Caller {
  const permissions = token.permissions === null ? undefined : readPermissions(token.permissions)
  return {
    user: token.user,
    tokenId: token.id,
    clientId: token.client_id ?? undefined,
    scopes: new Set(permissions ? scopes('drive') : scopesOf(token)),
    scopeNames: scopeNamesOf(token),
    ...(permissions && {permissions}),
    ...(token.expires_at !== null && {expiresAt: token.expires_at}),
    closedDrives: closedDrives(store, token),
  }
}

/**
 * Holds a caller's scopes against what an operation takes, and returns the headers that tell both.
 * Throws 403 `insufficientPermissions` when none fits.
 */
export function authorize(operation: Operation, caller: Caller): Record<string, string> {
  if (caller.permissions) return authorizeFine(operation, caller, caller.permissions)
  const headers = {
    ...tokenHeaders(caller),
    'X-Accepted-OAuth-Scopes': operation.scopes.join(', '),
  }
  if (operation.scopes.some(scope => caller.scopes.has(scope))) return headers
  throw failure(
    403,
    'insufficientPermissions',
    `Request had insufficient authentication scopes: ${operation.operationId} takes any one of ` +
      `${operation.scopes.join(', ')}.`,
    AT_HEADER,
    {
      ...headers,
      'WWW-Authenticate': `${REALM}, error="insufficient_scope", scope="${operation.scopes.join(' ')}"`,
    },
  )
}

function authorizeFine(
  operation: Operation,
  caller: Caller,
  permissions: Permissions,
): Record<string, string> {
  const needed = neededPermission(operation)
  const accepted = needed ? `${needed.name}=${needed.level}` : ''
  const headers = {...tokenHeaders(caller), 'X-Accepted-Service-Permissions': accepted}
  if (!needed || allows(permissions, needed)) return headers
  const message = `Resource not accessible by this token: ${operation.operationId} takes the permission ${accepted}.`
  throw failure(403, 'insufficientPermissions', message, AT_HEADER, headers)
}

/** The headers that tell a caller about its own token (reference: oauth.md, section 7). */
export function tokenHeaders(caller: Caller): Record<string, string> {
  const {scopeNames, clientId, permissions, expiresAt} = caller
  return {
    ...(!permissions && {'X-OAuth-Scopes': scopeNames.join(', ')}),
    ...(clientId && {'X-OAuth-Client-Id': clientId}),
    ...(expiresAt !== undefined && {
      'X-Service-Authentication-Token-Expiration': `${new Date(expiresAt).toISOString().slice(0, 19).replace('T', ' ')} UTC`,
    }),
  }
}

/** What a credential is: a token, or the login of someone who sent a password. */
interface Credential {
  readonly token?: string
  readonly login?: string
}

/** Whom a credential names that is no token which the service knows. */
function strangerOf(store: Store, {token = '', login}: Credential): Named {
  return login === undefined ? nobody(token) : namedByLogin(store, login)
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

/** User and password of Basic authentication (RFC 7617); `undefined` for any other header. */
export function readBasic(
  authorization: string | undefined,
): {user: string; password: string} | undefined {
  const encoded = /^\s*basic\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : {user: text.slice(0, colon), password: text.slice(colon + 1)}
}

function loginRequired(): ApiError {
  return failure(403, NO_TOKEN, 'Login Required', AT_HEADER, {'WWW-Authenticate': REALM})
}

/** 401 for a token that opens nothing. */
export function invalidCredentials(): ApiError {
  return failure(401, 'authError', 'Invalid Credentials', AT_HEADER, {
    'WWW-Authenticate': `${REALM}, error="invalid_token"`,
  })
}

function accountSuspended(): ApiError {
  return failure(403, 'accountSuspended', 'Sorry. Your account was suspended.', AT_HEADER)
}

function passwordRefused(): ApiError {
  const message = 'Password authentication is not supported. Send an access token instead.'
  return failure(401, 'authError', message, AT_HEADER, {'WWW-Authenticate': REALM})
}
